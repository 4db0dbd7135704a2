import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scrollTo, visibleRows } from '../../../src/watch/view/filter.ts';
import { fc } from '../../support/fast-check.ts';

const rowHeight = 30;

describe('the rows that are drawn', () => {
  it('are those that can be seen, and some around', () => {
    assert.deepEqual(visibleRows(1000, { top: 3000, height: 300, rowHeight }), {
      first: 92,
      end: 118,
    });
  });

  const edges: readonly (readonly [number, number, number, number])[] = [
    [0, 0, 0, 0],
    [0, 9000, 0, 0],
    [3, 0, 0, 3],
    [5, 9000, 5, 5],
  ];
  for (const [count, top, first, end] of edges) {
    it(`of ${count}, scrolled to ${top}, are ${first} to ${end}`, () => {
      assert.deepEqual(visibleRows(count, { top, height: 300, rowHeight }), { first, end });
    });
  }

  it('are few, and contain every row that can be seen', () => {
    const some = fc.record({ count: fc.nat(5000), top: fc.nat(200_000), height: fc.nat(2000) });
    fc.assert(
      fc.property(some, ({ count, top, height }) => {
        const { first, end } = visibleRows(count, { top, height, rowHeight });
        assert.ok(0 <= first && first <= end && end <= count);
        assert.ok(end - first <= height / rowHeight + 18);
        const seen = Math.floor(top / rowHeight);
        assert.ok(seen >= count || height === 0 || (first <= seen && seen < end));
      }),
    );
  });
});

describe('scrolling to a row', () => {
  const view = { top: 300, height: 100, rowHeight };
  const cases: readonly (readonly [number, number | undefined])[] = [
    [0, 0],
    [9, 270],
    [10, undefined],
    [12, undefined],
    [13, 320],
    [20, 530],
  ];
  for (const [index, top] of cases) {
    it(`${index} goes to ${top ?? 'where it is'}`, () => assert.equal(scrollTo(index, view), top));
  }
});
