import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countCharacters, generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('per-user-key');

describe('generatePerUserKey', () => {
  it('draws 32 characters of A-Z, a-z and 0-9, or what is asked for, in code points', () => {
    assert.match(generatePerUserKey(randomBytes), /^[A-Za-z0-9]{32}$/);
    const alphabet = '가🙂é0';
    const key = generatePerUserKey(randomBytes, 50, alphabet);
    assert.equal(countCharacters(key), 50);
    for (const character of key) assert.ok(alphabet.includes(character));
  });

  it('gives every character the same chance, where the alphabet does not divide 256', () => {
    // each of 256 bytes once: with 62 characters, 248 bytes are used, four for each character
    let next = 0;
    const everyByte = (size: number) => Uint8Array.from({ length: size }, () => next++ % 256);
    const counts = new Map<string, number>();
    for (const character of generatePerUserKey(everyByte, 248)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    assert.equal(counts.size, 62);
    assert.deepEqual([...new Set(counts.values())], [4]);
  });
});
