import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeHex } from '../../src/bytes.ts';
import { readPrivateKey, readPublicKey } from '../../src/crypto/key-reading.ts';
import { toRsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import {
  encryptRsaesPkcs1V15,
  rsadp,
  rsaep,
  type UnwrapFailure,
  unwrapKey,
  wrapKey,
} from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { fc } from '../support/fast-check.ts';
import { fixture, fixtureJson } from '../support/fixtures.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('rsaes-pkcs1-v1_5');

interface HostileEncoding {
  readonly name: string;
  readonly ciphertext: string;
  readonly failure?: UnwrapFailure;
  readonly messageHex?: string;
}

const { key: privateKey } = readPrivateKey(fixture('keys/private.pkcs8.pem'));
const { key: publicKey } = readPublicKey(fixture('keys/public.spki.base64'));

describe('RSAES-PKCS1-v1_5', () => {
  for (const row of fixtureJson<HostileEncoding[]>('eme/hostile-encodings.json')) {
    it(`${row.failure ? `fails at ${row.failure}` : 'opens'}: ${row.name}`, () => {
      const expected = row.failure
        ? { ok: false, failure: row.failure }
        : { ok: true, message: decodeHex(row.messageHex ?? '') };
      assert.deepEqual(unwrapKey(privateKey, row.ciphertext), expected);
    });
  }

  it('wraps a key differently each time, as Base64 of k octets', () => {
    const first = wrapKey(publicKey, 'k'.repeat(32), randomBytes);
    const second = wrapKey(publicKey, 'k'.repeat(32), randomBytes);
    assert.notEqual(first, second);
    assert.equal(Buffer.from(first, 'base64').length, 256);
    assert.match(first, /^[A-Za-z0-9+/]{342}==$/);
  });

  it('refuses a message that is too long for the key', () => {
    assert.throws(() => encryptRsaesPkcs1V15(publicKey, new Uint8Array(246), randomBytes), {
      code: 'usage',
      message: /^246 bytes are too long for an RSA key of 256 bytes/,
    });
  });

  it('opens whatever it wrapped, of any characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 24 }), (key) => {
        const unwrapped = unwrapKey(privateKey, wrapKey(publicKey, key, randomBytes));
        assert.deepEqual(unwrapped, { ok: true, message: Buffer.from(key) });
      }),
      { numRuns: 60 },
    );
  });

  for (const modulusLength of [512, 1023, 1025, 2048, 3072, 4096]) {
    it(`works with ${modulusLength} bits, also where they are not whole octets`, () => {
      const pair = generateKeyPairSync('rsa', { modulusLength, publicExponent: 3 });
      const key = toRsaPrivateKey(pair.privateKey);
      assert.equal(key.modulusBits, modulusLength);
      const wrapped = wrapKey(key.publicKey, 'x'.repeat(32), randomBytes);
      assert.deepEqual(unwrapKey(key, wrapped), { ok: true, message: Buffer.alloc(32, 'x') });
    });
  }

  it('gives the whole encoded message, and nothing for another length or a number too large', () => {
    const raw = Uint8Array.from({ length: 256 }, (_, index) => (index < 200 ? 0 : index));
    assert.deepEqual(rsadp(privateKey, rsaep(publicKey, raw)), Buffer.from(raw));
    assert.equal(rsadp(privateKey, raw.subarray(1)), undefined);
    assert.equal(rsadp(privateKey, publicKey.modulus), undefined);
    assert.equal(rsadp(privateKey, new Uint8Array(256).fill(255)), undefined);
  });

  it('throws for an invalid message representative', () => {
    assert.throws(() => rsaep(publicKey, new Uint8Array(255)), RangeError);
    assert.throws(() => rsaep(publicKey, publicKey.modulus), RangeError);
  });
});
