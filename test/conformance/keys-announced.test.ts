import assert from 'node:assert/strict';
import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { verify } from './support.ts';

/** An application that refuses nothing: it responds with a new key whenever it can read a public key. */
function careless(keys: string[]): Parameters<typeof verify>[0] {
  return async ({ body }) => {
    const [, base64 = ''] = /"public_key":"([^"]+)"/.exec(Buffer.from(body).toString()) ?? [];
    const key = `key-${String(keys.length).padStart(28, '0')}`;
    const wrapped = wrap(base64, key);
    if (wrapped !== undefined) keys.push(key);
    const result = wrapped === undefined ? {} : { enc_partner_key: wrapped };
    const text = JSON.stringify({ code: '0000', message: '', result });
    const headers = { 'Content-Type': 'application/json;charset=utf-8' };
    return { status: 200, headers, body: encodeUtf8(text) };
  };
}

function wrap(base64: string, key: string): string | undefined {
  try {
    const spki = { key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' } as const;
    const padding = { key: createPublicKey(spki), padding: constants.RSA_PKCS1_PADDING };
    return publicEncrypt(padding, Buffer.from(key)).toString('base64');
  } catch {
    return undefined; // one of the public keys that can't be used
  }
}

describe('the keys that an application hands out', () => {
  for (const check of ['key-exchange/*', 'protocol/*']) {
    it(`are all announced as secrets, also those of requests to be refused (${check})`, async () => {
      const keys: string[] = [];
      const announced = new Set<string | undefined>();
      const result = await verify(careless(keys), {
        check: [check],
        emit: (event) => {
          if (event.type === 'secret') announced.add(Secret.textOf(event.value));
        },
      });
      const accepted = result.exchanges.filter(({ intent }) => intent === 'wrong');
      assert.ok(accepted.length > 0);
      assert.deepEqual(
        keys.filter((key) => !announced.has(key)),
        [],
      );
      assert.ok(keys.length > 8);
    });
  }
});
