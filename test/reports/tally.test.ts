import assert from 'node:assert/strict';
import { it } from 'node:test';
import { spanText, tallyText } from '../../src/reports/tally.ts';

it('a tally has the time that is left, where that is known', () => {
  for (const [done, total, elapsedMs, text] of [
    [1, 35, 60_000, '1 of 35 checks'],
    [12, 35, 8000, '12 of 35 checks, 16 s left'],
    [2, 35, 12_000, '2 of 35 checks, 3 min left'],
    [2, 35, 6_000_000, '2 of 35 checks, 28 h left'],
  ] as const)
    assert.equal(tallyText(done, total, elapsedMs), text);
});

it('a span of time is rounded to the unit that says enough', () => {
  const spans = [-5, 1, 99_000, 100_000, 5_940_000, 7_200_000].map(spanText);
  assert.deepEqual(spans, ['0 s', '1 s', '99 s', '2 min', '99 min', '2 h']);
});
