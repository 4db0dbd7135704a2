import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { findKinship } from '../../src/conformance/key-kinship.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';

const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const other = 'b'.repeat(16) + 'c'.repeat(16);

describe('findKinship', () => {
  for (const [title, related, kinship] of [
    ['an equal key', key, ''],
    ['the key in capital letters', key.toUpperCase(), ' in other letters, capital or small'],
    ['the key turned round', [...key].reverse().join(''), ' turned round'],
    ['the key rotated', key.slice(5) + key.slice(0, 5), ' with its beginning moved to its end'],
  ] as const) {
    it(`sees ${title}, wherever the two stand`, () => {
      assert.equal(findKinship([key, related]), kinship);
      assert.equal(findKinship([other, key, related]), kinship);
      assert.equal(findKinship([key, other, related]), kinship);
    });
  }

  it('sees nothing in random keys', () => {
    const keys = Array.from({ length: 100 }, () => generatePerUserKey(randomBytes));
    assert.equal(findKinship(keys), undefined);
    assert.equal(findKinship([key]), undefined);
  });
});
