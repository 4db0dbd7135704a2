import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeHex, encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import {
  deriveKeyMaterial,
  evpBytesToKey,
  type PlainKeyReading,
  readKeyBytes,
  sha1Prng,
} from '../../src/crypto/key-derivation.ts';
import { fixtureJson } from '../support/fixtures.ts';

const key = '4302abe141ca553e5c9f25facf8f6c7d';
const salt = encodeUtf8('\x01\x02\x03\x04\x05\x06\x07\x08');

/** Made with coreutils (md5sum, sha256sum, base64) and, for sha1prng, with the JDK. */
const readings: readonly (readonly [PlainKeyReading, string, string | undefined])[] = [
  ['utf8', 'käy', '6bc3a479'],
  ['hex', 'ABcd01', 'abcd01'],
  ['hex', 'xyz0', undefined],
  ['base64', '+/8AQQ==', 'fbff0041'],
  ['base64', '-_8AQQ', 'fbff0041'],
  ['base64', 'not base64!', undefined],
  ['md5', 'abc', '900150983cd24fb0d6963f7d28e17f72'],
  ['sha256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['md5-hex', 'abc', encodeHex(encodeUtf8('900150983cd24fb0d6963f7d28e17f72'))],
];

function derive(notation: string, text: string, header: Uint8Array = new Uint8Array(0)): string[] {
  const result = deriveKeyMaterial(text, parseCipher(notation), header);
  if (!result.ok) return [result.reason];
  return [result.key, result.iv].map(encodeHex);
}

describe('key derivation', () => {
  it('reads a key in every reading', () => {
    for (const [reading, text, expected] of readings) {
      const bytes = readKeyBytes[reading](text);
      assert.equal(bytes && encodeHex(bytes), expected);
    }
  });

  it('cuts to the length of the algorithm', () => {
    const head = encodeHex(encodeUtf8(key));
    assert.deepEqual(derive('aes-256-ecb', key), [head, '']);
    assert.deepEqual(derive('aes-192-ecb', key), [head.slice(0, 48), '']);
    assert.deepEqual(derive('aes-128-ecb', `${key} and more`), [head.slice(0, 32), '']);
    assert.deepEqual(derive('des-ede3-cbc?iv=zero', key), [head.slice(0, 48), '0'.repeat(16)]);
  });

  it('takes the IV from head and tail of the characters, whatever the reading', () => {
    const characters = encodeHex(encodeUtf8(key));
    const [head, tail] = [characters.slice(0, 32), characters.slice(-32)];
    assert.deepEqual(derive('aes-128-cbc?key=hex&iv=key-head', key), [key, head]);
    assert.deepEqual(derive('aes-128-cbc?key=hex&iv=key-tail', key), [key, tail]);
    const gcm = derive('aes-128-gcm?key=hex&iv=key-tail&ivlen=12', key);
    assert.deepEqual(gcm, [key, characters.slice(-24)]);
  });

  it('takes a prefix and a fixed IV as they are', () => {
    const [, iv] = derive('aes-128-cbc?iv=hex:000102030405060708090a0b0c0d0e0f', key);
    assert.equal(iv, '000102030405060708090a0b0c0d0e0f');
    assert.equal(derive('des-ede3-cbc', key, salt)[1], '0102030405060708');
  });

  const unusable = [
    ['aes-256-cbc', 'short', 'the key read as utf8 gives 5 bytes, aes-256-cbc takes 32'],
    ['aes-128-cbc?key=hex', 'no hex', "the key can't be read as hex"],
    ['aes-256-cbc?key=sha256&iv=key-head', 'tiny', 'the key is shorter than the IV of 16 bytes'],
  ] as const;
  it('says why a key is unusable', () => {
    for (const [notation, text, reason] of unusable) {
      assert.deepEqual(derive(notation, text), [reason]);
    }
  });

  it('derives key and IV as one stream from passphrase and salt', () => {
    const stream = encodeHex(evpBytesToKey('sha256', encodeUtf8(key), salt, 48));
    const derived = derive('aes-256-cbc?key=evp-sha256', key, salt);
    assert.deepEqual(derived, [stream.slice(0, 64), stream.slice(64)]);
  });
});

it('derives the streams of openssl enc and of SHA1PRNG in Java', () => {
  const { EVP_BytesToKey: evp, SHA1PRNG: prng } = fixtureJson<{
    EVP_BytesToKey: { digest: 'md5' | 'sha256'; passphrase: string; stream: string }[];
    SHA1PRNG: { seed: string; stream: string }[];
  }>('key-derivation.json');
  for (const { digest, passphrase, stream } of evp) {
    assert.equal(encodeHex(evpBytesToKey(digest, encodeUtf8(passphrase), salt, 48)), stream);
  }
  for (const { seed, stream } of prng) {
    assert.equal(encodeHex(sha1Prng(encodeUtf8(seed), 64)), stream);
  }
});
