import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeBase64 } from '../../src/bytes.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** Tests that many payloads of random bytes. */
export function isNeverCertainOfNoise(payloads: number): void {
  it(`is never certain of noise (${payloads} payloads)`, () => {
    const random = seededRandom('noise');
    for (let tried = 0; tried < payloads; tried++) {
      const noise = random.bytes(random.pick([16, 32, 48, 64, 7, 20, 100]));
      const found = identifyCipher([encodeBase64(noise)], random.text('0123456789abcdef', 32));
      assert.ok(
        found.every(({ confidence }) => confidence !== 'certain'),
        encodeBase64(noise),
      );
    }
  });
}
