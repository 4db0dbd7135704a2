import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, percentile } from '../../../src/reports/html/words.ts';

describe('durations for people', () => {
  for (const [milliseconds, text] of [
    [0, '0 ms'],
    [0.04, '0 ms'],
    [0.84, '0.8 ms'],
    [1, '1 ms'],
    [9.94, '9.9 ms'],
    [9.96, '10 ms'],
    [100, '100 ms'],
    [999.4, '999 ms'],
    [999.6, '1 s'],
    [1240, '1.24 s'],
    [10_000, '10 s'],
    [59_994, '59.99 s'],
    [59_996, '1 min 0 s'],
    [125_000, '2 min 5 s'],
  ] as const) {
    it(`says ${text} of ${milliseconds} ms`, () => {
      assert.equal(formatDuration(milliseconds), text);
    });
  }

  it('finds percentiles by the nearest rank', () => {
    const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    assert.deepEqual(
      [0, 0.5, 0.9, 0.95, 1].map((share) => percentile(values, share)),
      [1, 5, 9, 10, 10],
    );
    assert.equal(percentile([7], 0.5), 7);
  });
});
