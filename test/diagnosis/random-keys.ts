import assert from 'node:assert/strict';
import { it } from 'node:test';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { diagnosePerUserKey, findWeakness } from '../../src/diagnosis/per-user-key.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const alphabets = {
  'ten digits': '0123456789',
  'ten letters of a word': 'paswordxyz',
  'hexadecimal digits': '0123456789abcdef',
  'small letters': 'abcdefghijklmnopqrstuvwxyz',
  'letters and digits': undefined,
};

interface Count {
  readonly keys: number;
  /** Those whose origin is looked for too: 17 ms for each that could be a digest. */
  readonly examined: number;
}

/** Tests that no key of any alphabet is blamed. */
export function randomKeysAreNeverDoubted({ keys, examined }: Count): void {
  const context = { ptnCd: '4711', clientId: '123456', now: Date.UTC(2025, 10, 21, 13, 4, 5) };
  for (const [name, alphabet] of Object.entries(alphabets)) {
    it(`is never doubted in ${keys.toLocaleString('en')} random keys over ${name}`, () => {
      const draw = seededBytes(name);
      for (let run = 0; run < keys; run += 1) {
        const random = generatePerUserKey(draw, { alphabet });
        assert.equal(findWeakness(random), undefined, random);
        if (run >= examined) continue;
        assert.deepEqual(diagnosePerUserKey(Buffer.from(random), context).diagnoses, []);
      }
    });
  }
}
