import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allocateLatencies, Latencies, LatencyCounts } from '../../src/load/latency-counts.ts';
import { fc } from '../support/fast-check.ts';

function latenciesOf(...threads: readonly (readonly number[])[]): Latencies {
  return new Latencies(
    threads.map((values) => {
      const counts = new LatencyCounts(allocateLatencies());
      for (const value of values) counts.record(value);
      return counts;
    }),
  );
}

/** By the definition: the least value that a percentage of them doesn't exceed. */
function nearestRank(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(1, Math.ceil((sorted.length * percent) / 100)) - 1] ?? Number.NaN;
}

describe('latency counts', () => {
  it('give percentiles within 0.4 per cent, whatever the size, over all threads', () => {
    const ms = fc.double({ min: 0.001, max: 4_000_000, noNaN: true });
    const values = fc.array(ms, { minLength: 1, maxLength: 50 });
    const percents = fc.constantFrom(0, 1, 50, 90, 99, 99.9, 100);
    const property = fc.property(values, values, percents, (one, other, percent) => {
      const wanted = nearestRank([...one, ...other], percent);
      const found = latenciesOf(one, other).percentile(percent);
      assert.ok(Math.abs(found - wanted) <= wanted * 0.004 + 0.0011, `${found} for ${wanted}`);
    });
    fc.assert(property);
  });

  it('count to the microsecond below a quarter of a millisecond', () => {
    const latencies = latenciesOf([0.001, 0.1, 0.255]);
    const { min } = latencies;
    const found = [min, latencies.percentile(50), latencies.percentile(100)];
    assert.deepEqual(found, [0.001, 0.1, 0.255]);
  });

  it('put everything into one band or another', () => {
    const ms = fc.double({ min: 0.001, max: 900, noNaN: true });
    const property = fc.property(fc.array(ms), (values) => {
      const bands = latenciesOf(values).bands([0.5, 1, 10, 100, 1000]);
      const inBands = bands.reduce((sum, { count }) => sum + count, 0);
      assert.equal(inBands, values.length);
    });
    fc.assert(property);
  });

  it('keep what is longer than an hour, as the longest there is', () => {
    assert.ok(latenciesOf([1e9]).percentile(100) > 4_290_000);
  });

  it('say 0 of nothing', () => {
    const latencies = latenciesOf([]);
    const { count, min, sumMs } = latencies;
    assert.deepEqual([count, min, latencies.percentile(99), sumMs], [0, 0, 0, 0]);
  });
});
