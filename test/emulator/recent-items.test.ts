import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecentItems } from '../../src/emulator/recent-items.ts';
import { fc } from '../support/fast-check.ts';

describe('what is kept', () => {
  const kept = (count: number, bytes: number) =>
    new RecentItems<number>({ count, bytes }, (size) => size);

  it('is the latest, up to a number', () => {
    const numbers = kept(3, 1000);
    for (const size of [1, 2, 3, 4, 5]) numbers.add(size);
    assert.deepEqual(numbers.items, [3, 4, 5]);
  });

  it('is the latest, so much together', () => {
    const numbers = kept(100, 10);
    for (const size of [4, 4, 4, 9, 1]) numbers.add(size);
    assert.deepEqual(numbers.items, [9, 1]);
  });

  it('is one in any case', () => {
    const numbers = kept(2, 10);
    for (const size of [1, 99]) numbers.add(size);
    assert.deepEqual(numbers.items, [99]);
    numbers.add(2);
    assert.deepEqual(numbers.items, [2]);
  });

  it('is nothing after it was cleared, with the same capacity as before', () => {
    const numbers = kept(2, 10);
    for (const size of [5, 5]) numbers.add(size);
    assert.equal(numbers.clear(), 2);
    for (const size of [5, 5]) numbers.add(size);
    assert.deepEqual(numbers.items, [5, 5]);
  });

  it('stays within both limits, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 9 }), (sizes, count) => {
        const numbers = kept(count, 30);
        for (const size of sizes) numbers.add(size);
        assert.ok(numbers.items.length <= count);
        assert.ok(numbers.items.reduce((sum, size) => sum + size, 0) <= 30);
        assert.deepEqual(numbers.items, sizes.slice(sizes.length - numbers.items.length));
      }),
    );
  });
});
