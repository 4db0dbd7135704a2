import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeHex } from '../../src/bytes.ts';
import { readPrivateKey, readPublicKey } from '../../src/crypto/key-reading.ts';
import { toRsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import {
  decodeEmePkcs1V15,
  encodeEmePkcs1V15,
  rsadp,
  rsaep,
  wrapKey,
} from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { fixture, fixtureJson } from '../support/fixtures.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { unwrapKey } from '../support/unwrap-key.ts';

const randomBytes = seededBytes('rsaes-pkcs1-v1_5');

interface HostileEncoding {
  readonly name: string;
  readonly ciphertext: string;
  readonly failure?: string;
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

  it('refuses a message that is too long', () => {
    const message32 = () => encodeEmePkcs1V15(message, 42, randomBytes);
    assert.throws(message32, { code: 'usage', message: /^32 bytes are too long .* 31 at most$/ });
  });

  const eight = [1, 2, 3, 4, 5, 6, 7, 8];
  const failures: readonly Uint8Array[] = [
    new Uint8Array(),
    encodedMessage([1, 2], eight, [0], message),
    encodedMessage([0]),
    encodedMessage([0, 1], eight, [0], message),
    encodedMessage([0, 2], eight, message),
    encodedMessage([0, 2], eight.slice(1), [0], message),
  ];
  it('is decoded to nothing, or to a message behind eight octets, zeros in it', () => {
    for (const encoded of failures) assert.equal(decodeEmePkcs1V15(encoded), undefined);
    const withZeros = Uint8Array.of(0, 1, 0, 2);
    const decoded = decodeEmePkcs1V15(encodedMessage([0, 2], eight, [0], withZeros));
    assert.deepEqual(decoded, Buffer.from(withZeros));
  });
});

describe('RSAES-PKCS1-v1_5', () => {
  it('judges every hostile encoding', () => {
    for (const row of fixtureJson<HostileEncoding[]>('eme/hostile-encodings.json')) {
      const { name, failure, messageHex = '' } = row;
      const expected = failure ? undefined : decodeHex(messageHex);
      assert.deepEqual(unwrapKey(privateKey, row.ciphertext), expected, name);
    }
  });

  it('wraps a key of any characters differently each time, as Base64 of k octets', () => {
    for (const key of ['', 'x'.repeat(32), '열쇠🙂é'.repeat(20)]) {
      const [first, second] = [1, 2].map(() => wrapKey(publicKey, key, randomBytes));
      assert.notEqual(first, second);
      assert.match(first ?? '', /^[A-Za-z0-9+/]{342}==$/);
      assert.deepEqual(unwrapKey(privateKey, first ?? ''), Buffer.from(key));
    }
  });

  it('works where the bits are not whole octets', () => {
    for (const modulusLength of [512, 1023, 1025]) {
      const pair = generateKeyPairSync('rsa', { modulusLength, publicExponent: 3 });
      const key = toRsaPrivateKey(pair.privateKey);
      assert.equal(key.modulusBits, modulusLength);
      const wrapped = wrapKey(key.publicKey, 'x'.repeat(32), randomBytes);
      assert.deepEqual(unwrapKey(key, wrapped), Buffer.alloc(32, 'x'));
    }
  });

  it('gives the whole encoded message, and nothing for another length or a number too large', () => {
    const raw = Uint8Array.from({ length: 256 }, (_, index) => (index < 200 ? 0 : index));
    assert.deepEqual(rsadp(privateKey, rsaep(publicKey, raw)), Buffer.from(raw));
    assert.equal(rsadp(privateKey, raw.subarray(1)), undefined);
    assert.equal(rsadp(privateKey, publicKey.modulus), undefined);
    assert.equal(rsadp(privateKey, new Uint8Array(256).fill(255)), undefined);
    assert.throws(() => rsaep(publicKey, new Uint8Array(255)), RangeError);
    assert.throws(() => rsaep(publicKey, publicKey.modulus), RangeError);
  });
});
