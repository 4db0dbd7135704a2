import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher, formatCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { decodeExchange } from '../../src/page/decoded.ts';
import { encrypt, keyPair } from '../emulator/support.ts';
import { fc } from '../support/fast-check.ts';

const key = 'abcdefghijklmnopqrstuvwxyz012345';
const known = { key: Secret.key(key), cipher: defaultCipher };
const unkeyed = { key: undefined };
const body = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** Each field that is found: part, name, `secret` if it is one, value and note. */
function decode(request: unknown, response: unknown, changes = {}): readonly string[] {
  const bodies = { request: body(request), response: body(response) };
  return decodeExchange({ ...bodies, ...known, ...changes }).map(
    ({ part, field, isSecret, value, note }) =>
      [part, field, ...(isSecret ? ['secret'] : []), value, note].join(' ').trimEnd(),
  );
}

describe('what an exchange contains', () => {
  it('of a key exchange: the public key, and the key that was made', () => {
    const request = { used_type: '1', public_key: keyPair.publicKeyText };
    const fields = decode(request, { code: '0000', result: { enc_partner_key: 'AAAA' } });
    assert.deepEqual(
      fields.map((field) => field.replace(/sha256:[0-9a-f]{12}$/, 'FINGERPRINT')),
      [
        'request public_key RSA, 2048 bits, FINGERPRINT',
        `response enc_partner_key secret ${key} 32 characters, FINGERPRINT`,
      ],
    );
  });

  it('of a sign-in: tokens, the expiry with its zone, the passcode', () => {
    const request = { secret_key: 's', ptn_token: 'p' };
    const expiry = { expire_dt: '20260102030405' };
    const result = { acs_token: 'a', ...expiry, ptn_sp: encrypt('code', key) };
    assert.deepEqual(decode(request, { result }, { timeZone: 'Asia/Seoul' }), [
      'request secret_key secret s 1 characters',
      'request ptn_token secret p 1 characters',
      'response acs_token secret a 1 characters',
      'response expire_dt 2026-01-02T03:04:05+09:00',
      'response ptn_sp secret code 4 characters',
    ]);
    assert.deepEqual(decode({ acs_token: 'b' }, { result: expiry }), [
      'request acs_token secret b 1 characters',
      'response expire_dt 20260102030405 no time zone is set',
    ]);
  });

  it('is not what can’t be read, and why not', () => {
    const other = `it can't be decrypted with ${formatCipher(defaultCipher)}`;
    const wrapped = { result: { enc_partner_key: 'A' } };
    for (const [fields, expected] of [
      [decode({ partner_sp: 'AAAA' }, {}), `request partner_sp secret  ${other}`],
      [
        decode({ partner_sp: 'A' }, {}, unkeyed),
        'request partner_sp secret  no key is known for it',
      ],
      [decode({}, wrapped, unkeyed), 'response enc_partner_key secret  it could not be read'],
    ] as const)
      assert.deepEqual(fields, [expected]);
    assert.match(decode({ public_key: 'AAAA' }, {}).join(), /^request public_key {2}\w.{5}/);
  });

  it('is nothing where the bodies are not JSON, or contain other types', () => {
    for (const text of ['', '<html>', '[]', '{"result":"x"}'])
      assert.deepEqual(decode(text, text), []);
    assert.deepEqual(decode({ partner_sp: 7, ubifill: '' }, { result: { ptn_sp: null } }), []);
  });

  it('never throws, whatever the fields contain', () => {
    const names = ['public_key', 'partner_sp', 'ubifill', 'enc_partner_key', 'expire_dt', 'ptn_sp'];
    const some = fc.dictionary(fc.constantFrom(...names), fc.string());
    fc.assert(fc.property(some, (fields) => void decode(fields, { result: fields })));
  });
});
