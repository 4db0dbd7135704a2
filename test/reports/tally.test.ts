import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elapsedText, spanText, type Tally, tallyText } from '../../src/reports/tally.ts';
import { fc } from '../support/fast-check.ts';

const cases: readonly (readonly [Partial<Tally>, string])[] = [
  [{ done: 0, total: 35, elapsedMs: 0 }, '0 of 35 checks'],
  [{ done: 1, total: 35, elapsedMs: 60_000 }, '1 of 35 checks'],
  [{ done: 20, total: 35, elapsedMs: 999 }, '20 of 35 checks'],
  [{ done: 20, total: 35, elapsedMs: 2000 }, '20 of 35 checks, 10 a second, 2 s left'],
  [{ done: 12, total: 35, elapsedMs: 8000 }, '12 of 35 checks, 1.5 a second, 16 s left'],
  [{ done: 2, total: 35, elapsedMs: 6000 }, '2 of 35 checks, 20 a minute, 99 s left'],
  [{ done: 2, total: 35, elapsedMs: 60_000 }, '2 of 35 checks, 2.0 a minute, 17 min left'],
  [{ done: 35, total: 35, elapsedMs: 7000 }, '35 of 35 checks, 5.0 a second, 0 s left'],
  [{ done: 40, elapsedMs: 4000 }, '40 checks, 10 a second'],
];

describe('a tally', () => {
  for (const [tally, text] of cases) {
    it(`reads ${text}`, () => {
      assert.equal(tallyText({ unit: 'checks', done: 0, elapsedMs: 0, ...tally }), text);
    });
  }

  it('foretells no time below zero and no endless one', () => {
    const some = { max: 1_000_000 };
    fc.assert(
      fc.property(fc.nat(some), fc.nat(some), fc.nat(some), (done, more, elapsedMs) => {
        const text = tallyText({ unit: 'users', done, total: done + more, elapsedMs });
        assert.doesNotMatch(text, /NaN|Infinity|-/);
      }),
    );
  });
});

describe('a span of time', () => {
  const spans: readonly (readonly [number, string])[] = [
    [-5, '0 s'],
    [0, '0 s'],
    [1, '1 s'],
    [42_000, '42 s'],
    [99_000, '99 s'],
    [100_000, '2 min'],
    [5_940_000, '99 min'],
    [7_200_000, '2 h'],
  ];
  for (const [milliseconds, text] of spans) {
    it(`of ${milliseconds} ms is ${text}`, () => assert.equal(spanText(milliseconds), text));
  }

  it('whose end is open is counted in whole seconds', () => {
    assert.deepEqual([0, 999, 1000, 61_500].map(elapsedText), [
      '0 s so far',
      '0 s so far',
      '1 s so far',
      '61 s so far',
    ]);
  });
});
