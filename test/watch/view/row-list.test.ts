import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSearch } from '../../../src/watch/view/filter.ts';
import { RowList } from '../../../src/watch/view/row-list.ts';
import type { Row } from '../../../src/watch/view/wire.ts';
import { fc } from '../../support/fast-check.ts';
import { row } from './sample.ts';

function listOf(...ids: readonly number[]): RowList {
  const list = new RowList(100);
  list.add(ids.map((id) => row({ id })));
  return list;
}

const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

describe('the rows of the page', () => {
  it('are listed with the newest first, each once, however they come', () => {
    const list = listOf(2, 1, 5);
    list.add([row({ id: 3 }), row({ id: 5 })]);
    assert.deepEqual(ids(list.shown), [5, 3, 2, 1]);
  });

  it('are as many as the list takes, and none that the emulator has forgotten', () => {
    const list = new RowList(3);
    list.add([1, 2, 3, 4, 5].map((id) => row({ id })));
    assert.deepEqual(ids(list.all), [5, 4, 3]);
    list.add([], 5);
    assert.deepEqual(ids(list.all), [5]);
    list.clear();
    assert.deepEqual([list.all, list.shown], [[], []]);
  });

  it('are those that the search lets through, also when more come', () => {
    const list = listOf(1, 2);
    list.search(parseSearch('is:failed'));
    list.add([row({ id: 3, outcome: 'bad' }), row({ id: 4 })]);
    assert.deepEqual(ids(list.shown), [3]);
    list.search(parseSearch(''));
    assert.deepEqual(ids(list.shown), [4, 3, 2, 1]);
  });

  const steps: readonly (readonly [number | undefined, number, number])[] = [
    [undefined, 1, 3],
    [undefined, -1, 3],
    [99, 1, 3],
    [undefined, 2, 2],
    [undefined, 1e6, 1],
    [3, 1, 2],
    [1, 1, 1],
    [3, -1, 3],
    [2, -1, 3],
    [2, 0, 2],
    [3, 1e6, 1],
    [1, -1e6, 3],
  ];
  for (const [from, by, to] of steps) {
    it(`steps from ${from ?? 'nowhere'} by ${by} to ${to}`, () => {
      assert.equal(listOf(1, 2, 3).step(from, by)?.id, to);
    });
  }

  it('has nowhere to step where there is nothing', () => {
    assert.equal(listOf().step(1, 1), undefined);
  });

  it('knows what belongs to the same user, oldest first, around a row', () => {
    const list = new RowList(100);
    const users = ['a', 'b', 'a', 'a', 'a', 'a', 'a', 'a', 'a', null];
    list.add(users.map((ptnCd, index) => row({ id: index + 1, ptnCd })));
    assert.deepEqual(ids(list.flowOf(1)), [1, 3, 4, 5, 6, 7]);
    assert.deepEqual(ids(list.flowOf(6)), [3, 4, 5, 6, 7, 8]);
    assert.deepEqual(ids(list.flowOf(9)), [4, 5, 6, 7, 8, 9]);
    assert.deepEqual(ids(list.flowOf(2)), [2]);
    assert.deepEqual(ids(list.flowOf(10)), [10]);
    assert.deepEqual(ids(list.flowOf(77)), []);
  });

  it('always shows the row itself among what belongs to it', () => {
    const users = fc.array(fc.constantFrom('a', 'b', null), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(users, fc.nat(), (codes, at) => {
        const list = new RowList(100);
        list.add(codes.map((ptnCd, index) => row({ id: index + 1, ptnCd })));
        const id = (at % codes.length) + 1;
        const flow = list.flowOf(id);
        assert.ok(flow.some((each) => each.id === id) && flow.length <= 6);
      }),
    );
  });
});
