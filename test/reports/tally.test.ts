import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elapsedText, spanText, tallyText } from '../../src/reports/tally.ts';

describe('a tally', () => {
  const cases: readonly (readonly [done: number, elapsedMs: number, text: string])[] = [
    [1, 60_000, '1 of 35 checks'],
    [12, 8000, '12 of 35 checks, 16 s left'],
    [2, 12_000, '2 of 35 checks, 3 min left'],
    [2, 6_000_000, '2 of 35 checks, 28 h left'],
  ];
  for (const [done, elapsedMs, text] of cases) {
    it(`reads ${text}`, () => {
      assert.equal(tallyText({ unit: 'checks', done, total: 35, elapsedMs }), text);
    });
  }

  it('has no time left without a total', () => {
    assert.equal(tallyText({ unit: 'checks', done: 40, elapsedMs: 4000 }), '40 checks');
  });
});

it('a span of time is rounded to the unit that says enough', () => {
  const spans = [-5, 1, 99_000, 100_000, 5_940_000, 7_200_000].map(spanText);
  assert.deepEqual(spans, ['0 s', '1 s', '99 s', '2 min', '99 min', '2 h']);
  assert.deepEqual([999, 61_500].map(elapsedText), ['0 s so far', '61 s so far']);
});
