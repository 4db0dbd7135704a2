import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { formatCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { type DecodedField, decodeExchange } from '../../src/page/decoded.ts';
import { keyPair } from '../emulator/support.ts';
import { fc } from '../support/fast-check.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('decoded');

const key = 'abcdefghijklmnopqrstuvwxyz012345';
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const encrypted = (text: string) =>
  encryptPayload(Buffer.from(text), key, defaultCipher, randomBytes);

function decode(request: unknown, response: unknown, changes = {}): readonly DecodedField[] {
  return decodeExchange({
    request: json(request),
    response: json(response),
    key: Secret.key(key),
    cipher: defaultCipher,
    ...changes,
  });
}

const seen = (fields: readonly DecodedField[]) =>
  fields.map(({ field, value, isSecret, note }) => [field, value, isSecret, note].join(' '));

describe('what an exchange contains', () => {
  it('of a key exchange: the public key, and the key that was made', () => {
    const fields = decode(
      { used_type: '1', public_key: keyPair.publicKeyText },
      { code: '0000', result: { enc_partner_key: 'AAAA' } },
    );
    const [publicKey = '', made = '', ...rest] = seen(fields);
    assert.match(publicKey, /^public_key RSA, 2048 bits, sha256:[0-9a-f]{12} false $/);
    assert.match(
      made,
      new RegExp(`^enc_partner_key ${key} true 32 characters, sha256:[0-9a-f]{12}$`),
    );
    assert.deepEqual(rest, []);
  });

  it('of a registration: passcode and user information, decrypted', () => {
    const fields = decode({ partner_sp: encrypted('pässcode'), ubifill: encrypted('{}') }, {});
    assert.deepEqual(seen(fields), [
      'partner_sp pässcode true 8 characters',
      'ubifill {} true 2 characters',
    ]);
    const shown = fields.map(({ part, title }) => `${part} ${title}`);
    assert.deepEqual(shown, ['request Super Passcode', 'request User information']);
  });

  it('of a sign-in: tokens, the expiry with its zone, the passcode', () => {
    const token = decode(
      { secret_key: 's', ptn_token: 'p' },
      { result: { acs_token: 'a', expire_dt: '20260102030405' } },
      { timeZone: 'Asia/Seoul' },
    );
    assert.deepEqual(
      token.map(({ field, value, isSecret }) => [field, value, isSecret]),
      [
        ['secret_key', 's', true],
        ['ptn_token', 'p', true],
        ['acs_token', 'a', true],
        ['expire_dt', '2026-01-02T03:04:05+09:00', false],
      ],
    );
    assert.equal(decode({}, { result: { ptn_sp: encrypted('code') } })[0]?.value, 'code');
  });

  const unkeyed = { key: undefined };
  const otherCipher = `it can't be decrypted with ${formatCipher(defaultCipher)}`;
  const unreadable: readonly (readonly [string, readonly DecodedField[], string])[] = [
    ['of another cipher', decode({ partner_sp: 'AAAA' }, {}), otherCipher],
    ['without a key', decode({ partner_sp: 'AAAA' }, {}, unkeyed), 'no key is known for it'],
    ['not opened', decode({}, { result: { enc_partner_key: 'A' } }, unkeyed), 'could not be read'],
    ['no public key', decode({ public_key: 'AAAA' }, {}), ''],
  ];
  for (const [title, fields, note] of unreadable) {
    it(`says why not: ${title}`, () => {
      assert.equal(fields.length, 1);
      assert.equal(fields[0]?.value, null);
      assert.ok(fields[0]?.note?.includes(note) && fields[0].note.length > 5);
    });
  }

  it('is nothing where the bodies are not JSON, or contain other types', () => {
    const known = { key: Secret.key(key), cipher: defaultCipher };
    for (const text of ['', '<html>', '[]', '{"result":"x"}']) {
      const body = Buffer.from(text);
      assert.deepEqual(decodeExchange({ request: body, response: body, ...known }), []);
    }
    assert.deepEqual(decode({ partner_sp: 7, ubifill: '' }, { result: { ptn_sp: null } }), []);
  });

  it('never throws, whatever the fields contain', () => {
    const names = ['public_key', 'partner_sp', 'ubifill', 'enc_partner_key', 'expire_dt', 'ptn_sp'];
    const some = fc.dictionary(fc.constantFrom(...names), fc.string());
    fc.assert(fc.property(some, (fields) => void decode(fields, { result: fields })));
  });
});
