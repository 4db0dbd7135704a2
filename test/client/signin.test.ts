import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { describe, it } from 'node:test';
import type { WireRequest } from '../../src/client/exchange.ts';
import type { PasscodeVerdict, UserSecrets } from '../../src/client/signin.ts';
import { type SigninInput, signIn } from '../../src/client/signin.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { Secret } from '../../src/crypto/secret.ts';
import type { DiagnosisCode } from '../../src/errors.ts';
import { memoryTransport } from '../support/memory-transport.ts';

const userKey = 'q7Hn2Lx9Vb4Tz6Rm1Kc8Wd3Fs5Gy0JpA';
const userPasscode = 'Super-Passcode-0042';
const token = { acs_token: 'acs-0123456789', expire_dt: '20300102030405', ptn_cd: 'user-1' };

/** What a service sends, its payload made by node:crypto alone, or the whole response to one call. */
interface Service {
  readonly key?: string;
  readonly passcode?: string;
  readonly mode?: string;
  readonly token?: object;
  readonly authenticate?: object;
}

const right = (result: object) => ({ code: '0000', message: 'OK', result });

/** A service without a network, and what it received. */
function startService({ key = userKey, passcode = userPasscode, mode = 'cbc', ...own }: Service) {
  const iv = Buffer.from(mode === 'ecb' ? '' : 'an IV of 16 byte');
  const cipher = createCipheriv(`aes-256-${mode}`, key, iv.length === 0 ? null : iv);
  const ptn_sp = Buffer.concat([iv, cipher.update(passcode), cipher.final()]).toString('base64');
  const { send, close } = memoryTransport((call) =>
    'ptn_token' in call
      ? { json: own.token ?? right(token) }
      : { json: own.authenticate ?? right({ ptn_sp }) },
  );
  const requests: WireRequest[] = [];
  const noting = (request: WireRequest) => {
    requests.push(request);
    return send(request);
  };
  return { transport: { send: noting, close }, requests };
}

const keyAlone: UserSecrets = { key: Secret.key(userKey) };
const known: UserSecrets = { ...keyAlone, superPasscode: Secret.text(userPasscode) };
const input: SigninInput = {
  authUrl: 'https://service.test/login',
  clientId: 'client-1',
  secretKey: Secret.text('server-secret-1'),
  ptnToken: Secret.text('ptn-token-1'),
  cipher: parseCipher('aes-256-cbc'),
  lookUpUser: async (ptnCd) => (ptnCd === 'user-1' ? known : {}),
};

async function run(service: Service, changes: Partial<SigninInput> = {}) {
  const { transport, requests } = startService(service);
  return { outcome: await signIn(transport, { ...input, ...changes }), requests };
}

it('plays the application’s server to the letter, the secret in bodies alone', async () => {
  const { outcome, requests } = await run({});
  const found = [outcome.ok, outcome.passcode, outcome.ptnCd, outcome.token.result?.expireDt];
  assert.deepEqual(found, [true, 'match', 'user-1', '20300102030405']);
  const own = { client_id: 'client-1', secret_key: 'server-secret-1' };
  assert.deepEqual(
    requests.map(({ url, body }) => [url.pathname, JSON.parse(Buffer.from(body).toString())]),
    [
      ['/login/process/token', { ...own, ptn_token: 'ptn-token-1' }],
      ['/login/process/authenticate', { ...own, acs_token: 'acs-0123456789' }],
    ],
  );
  const headers = requests.map((request) => request.headers);
  assert.doesNotMatch(JSON.stringify(headers), /server-secret-1/);
});

it('ends with what stops a sign-in, and no further call', async () => {
  const refusal = { code: '1001', message: 'expired' };
  const noDate = right({ ...token, expire_dt: '20301302030405' });
  const rows: [Service, DiagnosisCode, calls: number, expectedPtnCd?: string][] = [
    [{}, 'other-user', 1, 'user-2'],
    [{ token: refusal }, 'code-not-success', 1],
    [{ authenticate: refusal }, 'code-not-success', 2],
    [{ token: noDate }, 'field-malformed', 1],
  ];
  for (const [service, code, calls, expectedPtnCd] of rows) {
    const { outcome, requests } = await run(service, { expectedPtnCd });
    const { ok, passcode, diagnosis } = outcome;
    const found = [ok, passcode, diagnosis?.code, requests.length];
    assert.deepEqual(found, [false, 'not-checked', code, calls]);
    assert.equal(outcome.authenticate === undefined, calls === 1);
    if (code === 'field-malformed')
      assert.equal(outcome.token.reading?.seen.expireDt, '20301302030405');
  }
});

describe('the passcode', () => {
  const sending = (ptn_sp: string) => ({ authenticate: right({ ptn_sp }) });
  const otherKey: Service = { key: 'Another-Key-0123456789-ABCDEFGHI' };
  const ecb: Service = { mode: 'ecb' };
  const longer: Service = { passcode: `${userPasscode}x` };
  type Found = readonly [PasscodeVerdict, DiagnosisCode?, RegExp?];
  /** What the service sends, what is known of the user, the cipher that is set; what is found. */
  const rows: [string, Service, UserSecrets, cipher: string, ...Found][] = [
    ['no key', {}, {}, '', 'not-checked', undefined, /No key is known/],
    ['no passcode', {}, keyAlone, '', 'not-checked', undefined, /No passcode is stored/],
    ['one that begins alike', longer, known, '', 'mismatch', 'passcode-mismatch'],
    ['another key', otherKey, known, '', 'undecryptable'],
    ['ecb', ecb, known, '', 'undecryptable', 'cipher-mismatch', /with aes-256-ecb/],
    ['cbc', {}, known, 'aes-256-ctr', 'undecryptable', 'cipher-mismatch', /with aes-256-cbc/],
    ['no IV', {}, keyAlone, 'aes-256-cbc?iv=zero', 'undecryptable', 'cipher-mismatch'],
    ['no payload', sending('AAAA'), known, '', 'undecryptable', 'payload-encoding'],
    ['no Base64', sending('!*.!*.'), {}, '', 'undecryptable', 'field-malformed'],
  ];
  for (const [name, variant, user, cipher, passcode, code, shown] of rows) {
    it(`${name}: ${passcode}`, async () => {
      const changes = { lookUpUser: () => user, cipher: parseCipher(cipher || 'aes-256-cbc') };
      const { outcome } = await run(variant, changes);
      assert.equal(outcome.passcode, passcode, outcome.diagnosis?.message);
      assert.equal(outcome.ok, passcode === 'not-checked');
      if (code) assert.equal(outcome.diagnosis?.code, code, outcome.diagnosis?.message);
      const told = JSON.stringify([outcome.diagnosis, outcome.authenticate?.notes]);
      if (shown) assert.match(told, shown);
      assert.ok(!told.includes(userPasscode) && !told.includes(userKey));
    });
  }
});
