import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeHex, encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher.ts';
import {
  deriveKeyMaterial,
  evpBytesToKey,
  type PlainKeyReading,
  readKeyBytes,
  sha1Prng,
} from '../../src/crypto/key-derivation.ts';
import { fixtureJson, fixtureRows } from '../support/fixtures.ts';

const salt = encodeUtf8('\x01\x02\x03\x04\x05\x06\x07\x08');

function derive(notation: string, text: string, header: Uint8Array = new Uint8Array(0)): string[] {
  const result = deriveKeyMaterial(text, parseCipher(notation), header);
  if (!result.ok) return [result.reason];
  return [result.key, result.iv].map(encodeHex);
}

describe('key derivation', () => {
  it('reads a key in every reading', () => {
    type Row = readonly [reading: PlainKeyReading, text: string, bytes?: string];
    for (const [reading, text, expected] of fixtureRows<Row>('readings/key-bytes.jsonl')) {
      const bytes = readKeyBytes[reading](text);
      assert.equal(bytes && encodeHex(bytes), expected);
    }
  });

  it('says why a key is unusable', () => {
    type Row = readonly [notation: string, text: string, reason: string];
    for (const [notation, text, reason] of fixtureRows<Row>('readings/key-bytes-unusable.jsonl')) {
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
