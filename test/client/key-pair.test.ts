import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { generateKeyPair } from '../../src/client/key-pair.ts';
import { readPrivateKey, readPublicKey } from '../../src/crypto/key-reading.ts';
import { exportPrivateKey, exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { unwrapKey, wrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';

const sizes = [
  [2048, 4],
  [3072, 3],
  [4096, 4],
] as const;

describe('generateKeyPair with more than two primes', () => {
  for (const [bits, primes] of sizes) {
    it(`makes a pair of exactly ${bits} bits of ${primes} primes that works and reads as any other`, async () => {
      const made = await generateKeyPair(bits, primes);
      assert.equal(made.modulusBits, bits);
      assert.equal(made.publicKey.publicExponent, 65537n);
      const publicText = exportPublicKey(made.publicKey);
      const { key: pair, notes } = readPrivateKey(exportPrivateKey(made));
      assert.deepEqual(notes, []);
      assert.equal(exportPublicKey(pair.publicKey), publicText);
      const message = 'a'.repeat(32);
      const opened = unwrapKey(pair, wrapKey(readPublicKey(publicText).key, message, randomBytes));
      assert.equal(opened.ok && Buffer.from(opened.message).toString(), message);
    });
  }

  it('has a public key as long as that of two primes', async () => {
    const [four, two] = await Promise.all([generateKeyPair(2048, 4), generateKeyPair(2048)]);
    assert.equal(four.publicKey.spki.length, two.publicKey.spki.length);
  });
});
