import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Arrivals, type Stage, stagedRate, steadyRate } from '../../src/load/schedule.ts';
import { fc } from '../support/fast-check.ts';

function timesOf(stages: readonly Stage[], first = 0, step = 1, most = 1000): number[] {
  const arrivals = new Arrivals(stages, first, step);
  const times: number[] = [];
  for (let at = arrivals.next(); at !== undefined && times.length < most; at = arrivals.next()) {
    times.push(at);
  }
  return times;
}

describe('the times of an open model', () => {
  it('are even at a steady rate', () => {
    assert.deepEqual(timesOf(steadyRate(4, 0), 0, 1, 5), [0, 250, 500, 750, 1000]);
  });

  it('come closer along a ramp, as many as the area under it', () => {
    const times = timesOf([{ durationMs: 10_000, from: 0, to: 100 }]);
    assert.equal(times.length, 500);
    // After half of the time a quarter of them have begun.
    assert.equal(times.filter((at) => at < 5000).length, 125);
  });

  it('go on without a gap from a ramp to the rate behind it', () => {
    const times = timesOf(steadyRate(100, 1000), 0, 1, 200);
    assert.equal(times.filter((at) => at < 1000).length, 50);
    assert.ok(Math.abs((times[150] ?? 0) - 2000) < 1e-6);
  });

  it('follow stages up and down, and end with the last', () => {
    const times = timesOf(
      stagedRate([
        { durationMs: 1000, rate: 20 },
        { durationMs: 1000, rate: 20 },
        { durationMs: 1000, rate: 0 },
      ]),
    );
    const inSecond = (second: number) =>
      times.filter((at) => Math.floor(at / 1000) === second).length;
    assert.deepEqual([inSecond(0), inSecond(1), inSecond(2), inSecond(3)], [10, 20, 10, 0]);
  });

  it('wait through a stage of nothing', () => {
    const times = timesOf([
      { durationMs: 1000, from: 0, to: 0 },
      { durationMs: 1000, from: 2, to: 2 },
    ]);
    assert.deepEqual(times, [1000, 1500]);
  });

  it('are the same whether one thread keeps them or several share them', () => {
    const stage = fc.record({
      durationMs: fc.integer({ min: 1, max: 5000 }),
      rate: fc.integer({ min: 0, max: 50 }),
    });
    fc.assert(
      fc.property(
        fc.array(stage, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 4 }),
        (stages, threads) => {
          const whole = timesOf(stagedRate(stages));
          const shares = Array.from({ length: threads }, (_, index) =>
            timesOf(stagedRate(stages), index, threads),
          );
          assert.deepEqual(
            shares.flat().sort((one, other) => one - other),
            whole,
          );
          assert.deepEqual(
            whole,
            [...whole].sort((one, other) => one - other),
          );
          const end = stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
          assert.ok(whole.every((at) => at >= 0 && at <= end));
        },
      ),
    );
  });
});
