import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher.ts';
import { decryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { payloadForNone, payloadForOne } from '../../src/explore/telling-payload.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('telling payload');
const newKey = () => generatePerUserKey(randomBytes);

/** An application may try each key that the user ever had: of 20, one would fit by chance every 13th time. */
describe('payloads that show which key decrypts them', () => {
  const earlier = Array.from({ length: 20 }, newKey);
  const key = newKey();
  const newText = () => randomBytes(36).toString('base64url');

  for (const notation of ['default', 'aes-256-ecb?key=sha256', 'des-ede3-cbc?padding=ansix923']) {
    const cipher = parseCipher(notation);
    const drawing = { cipher, randomBytes, newText, earlier };
    const opens = (payload: string) => (each: string) => decryptPayload(payload, each, cipher).ok;

    it(`for one key, and no earlier one: ${notation}`, () => {
      for (let time = 0; time < 30; time += 1) {
        const payload = payloadForOne(key, earlier.slice(0, 1), drawing) ?? '';
        assert.deepEqual([key, ...earlier].filter(opens(payload)), [key]);
      }
    });

    it(`for none at all: ${notation}`, () => {
      for (let time = 0; time < 30; time += 1) {
        const payload = payloadForNone(key, drawing) ?? '';
        assert.notEqual(payload, '');
        assert.deepEqual([key, ...earlier].filter(opens(payload)), []);
      }
    });
  }

  it('are not there for ciphers that show nothing', () => {
    const cipher = parseCipher('aes-256-ctr?key=utf8');
    const drawing = { cipher, randomBytes, newText, earlier };
    assert.equal(payloadForOne(key, [], drawing), undefined);
    assert.equal(payloadForNone(key, drawing), undefined);
  });
});
