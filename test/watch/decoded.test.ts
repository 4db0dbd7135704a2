import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { formatCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { type DecodedField, decodeExchange } from '../../src/watch/decoded.ts';
import { keyPair } from '../emulator/support.ts';
import { fc } from '../support/fast-check.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('decoded');

const key = 'abcdefghijklmnopqrstuvwxyz012345';
const none = new Uint8Array();
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

describe('what an exchange contains', () => {
  it('of a key exchange: the public key, and the key that was made', () => {
    const [first, second, ...rest] = decode(
      { used_type: '1', public_key: keyPair.publicKeyText },
      { code: '0000', result: { enc_partner_key: 'AAAA' } },
    );
    assert.match(first?.value ?? '', /^RSA, 2048 bits, sha256:[0-9a-f]{12}$/);
    assert.equal(first?.isSecret, false);
    assert.equal(second?.value, key);
    assert.equal(second?.isSecret, true);
    assert.match(second?.note ?? '', /^32 characters, sha256:[0-9a-f]{12}$/);
    assert.deepEqual(rest, []);
  });

  it('of a registration: passcode and user information, decrypted', () => {
    const fields = decode({ partner_sp: encrypted('pässcode'), ubifill: encrypted('{}') }, {});
    assert.deepEqual(fields, [
      {
        part: 'request',
        field: 'partner_sp',
        title: 'Super Passcode',
        value: 'pässcode',
        isSecret: true,
        note: '8 characters',
      },
      {
        part: 'request',
        field: 'ubifill',
        title: 'User information',
        value: '{}',
        isSecret: true,
        note: '2 characters',
      },
    ]);
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
    const [passcode] = decode({}, { result: { ptn_sp: encrypted('code') } });
    assert.equal(passcode?.value, 'code');
  });

  const unreadable: readonly (readonly [string, readonly DecodedField[], string])[] = [
    [
      'a payload of another cipher',
      decode({ partner_sp: 'AAAA' }, {}),
      `it can't be decrypted with ${formatCipher(defaultCipher)}`,
    ],
    [
      'a payload without a key',
      decode({ partner_sp: 'AAAA' }, {}, { key: undefined }),
      'no key is known for it',
    ],
    [
      'a wrapped key that could not be opened',
      decode({}, { result: { enc_partner_key: 'A' } }, { key: undefined }),
      'it could not be read',
    ],
    ['a public key that is none', decode({ public_key: 'AAAA' }, {}), ''],
  ];
  for (const [title, fields, note] of unreadable) {
    it(`says why not: ${title}`, () => {
      assert.equal(fields.length, 1);
      assert.equal(fields[0]?.value, null);
      assert.ok(fields[0]?.note?.includes(note) && fields[0].note.length > 5);
    });
  }

  it('is nothing where the bodies are not JSON, or contain other types', () => {
    const bodies = [none, Buffer.from('<html>'), Buffer.of(0xff), json([]), json({ result: 'x' })];
    for (const body of bodies) {
      const fields = decodeExchange({
        request: body,
        response: body,
        key: Secret.key(key),
        cipher: defaultCipher,
      });
      assert.deepEqual(fields, []);
    }
    assert.deepEqual(decode({ partner_sp: 7, ubifill: '' }, { result: { ptn_sp: null } }), []);
  });

  it('never throws, whatever the fields contain', () => {
    const names = ['public_key', 'partner_sp', 'ubifill', 'enc_partner_key', 'expire_dt', 'ptn_sp'];
    const some = fc.dictionary(fc.constantFrom(...names), fc.string());
    fc.assert(fc.property(some, (fields) => void decode(fields, { result: fields })));
  });
});
