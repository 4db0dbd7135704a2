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
