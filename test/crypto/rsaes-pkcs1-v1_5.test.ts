import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeHex } from '../../src/bytes.ts';
import { readPrivateKey, readPublicKey } from '../../src/crypto/key-reading.ts';
import { toRsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import {
  decodeEmePkcs1V15,
  type EmeFailure,
  encodeEmePkcs1V15,
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

const message = Buffer.from('0123456789abcdefghijklmnopqrstuv');

function encodedMessage(...parts: readonly (readonly number[] | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => Uint8Array.from(part)));
}

describe('EME-PKCS1-v1_5', () => {
  it('encodes as RFC 8017 7.2.1 says', () => {
    const encoded = encodeEmePkcs1V15(message, 64, (size) => new Uint8Array(size).fill(7));
    assert.deepEqual(encoded, encodedMessage([0, 2], new Uint8Array(29).fill(7), [0], message));
  });

  it('draws again for every zero in the padding string', () => {
    let next = 0;
    const counting = (size: number) => Uint8Array.from({ length: size }, () => next++ % 3);
    const encoded = encodeEmePkcs1V15(message, 64, counting);
    assert.equal(encoded.subarray(2, 31).includes(0), false);
    assert.equal(encoded.indexOf(0, 2), 31);
  });

  for (const [modulusBytes, room] of [
    [42, 31],
    [4, 0],
  ] as const) {
    it(`refuses a message too long for ${modulusBytes} bytes`, () => {
      const capacity = `with PKCS #1 v1.5 padding it takes ${room} at most`;
      assert.throws(() => encodeEmePkcs1V15(message, modulusBytes, randomBytes), {
        code: 'usage',
        message: `32 bytes are too long for an RSA key of ${modulusBytes} bytes: ${capacity}`,
      });
    });
  }

  const eight = [1, 2, 3, 4, 5, 6, 7, 8];
  const failures: readonly (readonly [EmeFailure, Uint8Array])[] = [
    ['first-octet', new Uint8Array()],
    ['first-octet', encodedMessage([1, 2], eight, [0], message)],
    ['block-type', encodedMessage([0])],
    ['block-type', encodedMessage([0, 1], eight, [0], message)],
    ['separator', encodedMessage([0, 2], eight, message)],
    ['padding-string', encodedMessage([0, 2], eight.slice(1), [0], message)],
  ];
  for (const [failure, encoded] of failures) {
    it(`fails at ${failure} for ${Buffer.from(encoded).toString('hex') || 'nothing'}`, () => {
      assert.deepEqual(decodeEmePkcs1V15(encoded), { ok: false, failure });
    });
  }

  it('takes a padding string of eight, and a message with zeros in it', () => {
    const withZeros = Uint8Array.of(0, 1, 0, 2);
    const decoded = decodeEmePkcs1V15(encodedMessage([0, 2], eight, [0], withZeros));
    assert.deepEqual(decoded, { ok: true, message: Buffer.from(withZeros) });
  });
});

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

  it('opens whatever it wrapped, of any characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 24 }), (key) => {
        const unwrapped = unwrapKey(privateKey, wrapKey(publicKey, key, randomBytes));
        assert.deepEqual(unwrapped, { ok: true, message: Buffer.from(key) });
      }),
      { numRuns: 60 },
    );
  });

  for (const modulusLength of [512, 1023, 1025]) {
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
