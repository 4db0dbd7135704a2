import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as library from '../../src/index.ts';

const functions = new Map<string, unknown>(Object.entries(library));
const key = 'k'.repeat(32);
const url = 'http://127.0.0.1:9/';
/** Each function with options of which only one is made wrong. */
const calls: Readonly<Record<string, object>> = {
  wrapKey: { key, publicKey: 'AAAA' },
  unwrapKey: { encPartnerKey: 'AAAA', privateKey: 'AAAA' },
  encryptPayload: { plaintext: 'x', key, cipher: 'default' },
  decryptPayload: { payload: 'AAAA', key, cipher: 'default' },
  identifyCipher: { payload: ['AAAA'], key, knownPlaintext: 'x' },
  startApplication: { clientId: 'c', users: [], faults: [], port: 0, host: '127.0.0.1' },
  startService: { secretKey: 's', users: [], faults: [], port: 0, callbackUrl: url, latencyMs: 0 },
  signIn: { authUrl: url, clientId: 'c', secretKey: 's', ptnToken: 't', key, timeoutMs: 50 },
  simulateSignup: { url, ptnCd: 'u', userInfo: { email: 'a' }, timeoutMs: 50, headers: {} },
  verifyCallback: { url, check: ['key-exchange/*'], skip: [], timeoutMs: 50, knownFailures: [] },
};
const bare = ['generateKeyPair', 'canonicalCipher', 'formatReport', 'readUserInformation'];
const wrong = [null, 5, true, 'x\0\n', {}, [null], [5], () => 1, Symbol('a'), 1n, Number.NaN, -1];

it('the library answers wrong arguments with an AuthcliError', async () => {
  const others: string[] = [];
  const attempt = async (name: string, argument: unknown, about: string) => {
    try {
      const call = functions.get(name) as (given: unknown) => unknown;
      const made = (await call(argument)) as { close?(): Promise<void> } | undefined;
      await made?.close?.();
    } catch (error) {
      const { code } = error as library.AuthcliError;
      const isRight = error instanceof library.AuthcliError && code !== 'internal';
      if (!isRight) others.push(`${name} ${about}: ${error}`);
    }
  };
  for (const name of [...Object.keys(calls), ...bare]) {
    for (const each of wrong) await attempt(name, each, `(${String(each)})`);
    for (const option of Object.keys(calls[name] ?? {}))
      for (const each of wrong)
        await attempt(name, { ...calls[name], [option]: each }, `${option} ${String(each)}`);
  }
  assert.deepEqual(others, []);
});
