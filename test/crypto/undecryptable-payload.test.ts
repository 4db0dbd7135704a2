import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { decryptPayload, undecryptablePayload } from '../../src/crypto/payload-ciphers.ts';
import { AuthcliError } from '../../src/errors.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = '0123456789abcdefghijklmnopqrstuv';

describe('undecryptablePayload', () => {
  const failing = [
    ['aes-256-cbc', 'bad-padding'],
    ['aes-256-cbc?iv=zero&padding=ansix923&encoding=hex', 'bad-padding'],
    ['aes-128-ecb?padding=iso10126&encoding=base64url', 'bad-padding'],
    ['des-ede3-cbc', 'bad-padding'],
    ['aes-256-cbc?key=evp-md5', 'bad-padding'],
    ['aes-256-gcm', 'bad-tag'],
    ['aes-256-gcm?tag=after-iv&ivlen=16', 'bad-tag'],
  ] as const;
  for (const [cipher, failure] of failing) {
    it(`fails every time under ${cipher}: ${failure}`, () => {
      const parsed = parseCipher(cipher);
      for (let run = 0; run < 300; run += 1) {
        const { bytes } = seededRandom(`${cipher} ${run}`);
        const payload = undecryptablePayload(key, parsed, bytes) ?? '';
        const result = decryptPayload(payload, key, parsed);
        assert.equal(result.ok ? 'decrypted' : result.failure, failure);
      }
    });
  }

  for (const cipher of [
    'aes-256-ctr',
    'aes-256-cfb?padding=pkcs7',
    'aes-256-cbc?padding=zero',
    'aes-256-ecb?padding=none',
  ]) {
    it(`has none for ${cipher}, where nothing can fail`, () => {
      const { bytes } = seededRandom(cipher);
      assert.equal(undecryptablePayload(key, parseCipher(cipher), bytes), undefined);
    });
  }

  it('leaves no UTF-8 to who takes the padding off without looking', () => {
    const cipher = parseCipher('aes-256-cbc');
    const { bytes } = seededRandom('blind');
    const payload = undecryptablePayload(key, cipher, bytes) ?? '';
    const padded = decryptPayload(payload, key, { ...cipher, padding: 'none' });
    assert.ok(padded.ok);
    assert.ok(padded.plaintext.subarray(0, -1).every((byte) => byte === 0xff));
    assert.equal(padded.plaintext.at(-1), 17);
  });

  it("refuses a key that doesn't go with the cipher", () => {
    const { bytes } = seededRandom('key');
    assert.throws(
      () => undecryptablePayload('short', parseCipher('aes-256-cbc'), bytes),
      (error) => error instanceof AuthcliError && error.code === 'usage',
    );
  });
});
