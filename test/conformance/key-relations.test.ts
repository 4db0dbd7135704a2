import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findRelation, findResemblance } from '../../src/conformance/keys.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('key-relations');

const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const other = 'b'.repeat(16) + 'c'.repeat(16);

describe('findRelation', () => {
  for (const [title, related, relation] of [
    ['an equal key', key, ''],
    ['the key in capital letters', key.toUpperCase(), ', in upper or lower case'],
    ['the key turned round', [...key].reverse().join(''), ', reversed'],
    ['the key rotated', key.slice(5) + key.slice(0, 5), ', rotated'],
  ] as const) {
    it(`sees ${title}, wherever the two are`, () => {
      assert.equal(findRelation([key, related]), relation);
      assert.equal(findRelation([other, key, related]), relation);
      assert.equal(findRelation([key, other, related]), relation);
    });
  }

  it('sees nothing in random keys', () => {
    const keys = Array.from({ length: 100 }, () => generatePerUserKey(randomBytes));
    assert.equal(findRelation(keys), undefined);
    assert.equal(findRelation([key]), undefined);
  });
});

describe('keys of a constant text and a few random characters', () => {
  it('are not said to come from a counter alone', () => {
    const randomBytes = seededBytes('constant text');
    const keys = [1, 2, 3].map(
      () => `MY-SHOP-USER-SECRET-KEY-${generatePerUserKey(randomBytes).slice(0, 8)}`,
    );
    assert.match(
      findResemblance(keys)?.message ?? '',
      /is a constant text, a counter or the time\.$/,
    );
  });
});
