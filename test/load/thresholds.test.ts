import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeThresholds, type LoadResult, type Thresholds } from '../../src/load/run.ts';
import { loadResult } from '../support/load-sample.ts';

const cases: readonly [Thresholds, boolean, RegExp][] = [
  [{ maxP99: 40 }, true, /p99 at most 40 ms/],
  [{ maxP99: 39 }, false, /p99 at most 39 ms/],
  [{ maxErrors: { count: 5 } }, true, /errors at most 5$/],
  [{ maxErrors: { count: 4 } }, false, /errors at most 4$/],
  [{ maxErrors: { share: 0.05 } }, true, /errors at most 5%/],
  [{ maxErrors: { share: 0.049 } }, false, /errors at most 4.9%/],
];

describe('a threshold', () => {
  const latency = { ...loadResult().latency, p50: 20, p90: 30, p99: 40, max: 50 };
  const result: LoadResult = loadResult({ succeeded: 95, failed: 5, perSecond: 95, latency });
  for (const [thresholds, kept, text] of cases) {
    it(`${JSON.stringify(thresholds)} is ${kept ? 'kept' : 'missed'}`, () => {
      const [verdict, ...others] = judgeThresholds(result, thresholds);
      assert.deepEqual(others, []);
      assert.equal(verdict?.kept, kept);
      assert.match(verdict?.threshold ?? '', text);
      assert.notEqual(verdict?.observed, '');
    });
  }

  it('of latency is missed where nothing was measured', () => {
    const nothing = loadResult({ latency: { ...latency, count: 0, p99: 0 } });
    assert.equal(judgeThresholds(nothing, { maxP99: 1000 })[0]?.kept, false);
  });
});
