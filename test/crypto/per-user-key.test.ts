import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countCharacters, generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('per-user-key');

describe('generatePerUserKey', () => {
  it('draws 32 characters of A-Z, a-z and 0-9, or what is asked for, in code points', () => {
    assert.match(generatePerUserKey(randomBytes), /^[A-Za-z0-9]{32}$/);
    const alphabet = '가🙂é0';
    const key = generatePerUserKey(randomBytes, { length: 50, alphabet });
    assert.equal(countCharacters(key), 50);
    for (const character of key) assert.ok(alphabet.includes(character));
  });

  it('refuses a length or an alphabet that makes no key', () => {
    for (const [options, message] of [
      [{ length: 0 }, /^A key of 0 characters can't be made/],
      [{ length: 1.5 }, /^A key of 1.5 characters/],
      [{ length: 4097 }, /^A key of 4097 characters/],
      [{ alphabet: 'a' }, /at least two different characters$/],
      [{ alphabet: 'abca' }, /^The alphabet has "a" more than once/],
    ] as const) {
      assert.throws(() => generatePerUserKey(randomBytes, options), { code: 'usage', message });
    }
  });

  it('gives every character the same chance, where the alphabet does not divide 256', () => {
    // each of 256 bytes once: with 62 characters, 248 bytes are used, four for each character
    let next = 0;
    const everyByte = (size: number) => Uint8Array.from({ length: size }, () => next++ % 256);
    const counts = new Map<string, number>();
    for (const character of generatePerUserKey(everyByte, { length: 248 })) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    assert.equal(counts.size, 62);
    assert.deepEqual([...new Set(counts.values())], [4]);
  });

  it('reaches every character of an alphabet of more than 256', () => {
    const alphabet = String.fromCodePoint(...Array.from({ length: 300 }, (_, at) => 0xac00 + at));
    const keys = generatePerUserKey(randomBytes, { length: 4096, alphabet });
    assert.ok(new Set(keys).size > 280);
  });
});
