import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Schedule } from '../../src/monitor/schedule.ts';
import { fc } from '../support/fast-check.ts';

const base = { everyMs: 1000 };

describe('the schedule of repeated runs', () => {
  it('begins at once, and then at multiples of the interval', () => {
    const schedule = new Schedule(base);
    assert.deepEqual(schedule.next(5000), { at: 5000, skipped: 0 });
    assert.deepEqual(schedule.next(5400), { at: 6000, skipped: 0 });
    assert.deepEqual(schedule.next(6999), { at: 7000, skipped: 0 });
    assert.deepEqual(schedule.next(8000), { at: 8000, skipped: 0 });
  });

  it('leaves out the runs that a long one overlaps, and says how many', () => {
    const schedule = new Schedule(base);
    schedule.next(0);
    assert.deepEqual(schedule.next(3200), { at: 4000, skipped: 3 });
    assert.deepEqual(schedule.next(4100), { at: 5000, skipped: 0 });
  });

  it('ends after a number of runs', () => {
    const twice = new Schedule({ ...base, times: 2 });
    assert.ok(twice.next(0) && twice.next(10));
    assert.equal(twice.next(20), undefined);
  });

  it('never waits longer than the interval, whatever the clock does', () => {
    const schedule = new Schedule(base);
    schedule.next(10_000_000);
    assert.deepEqual(schedule.next(1000), { at: 2000, skipped: 0 });
    assert.deepEqual(schedule.next(2100), { at: 3000, skipped: 0 });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100_000 })), (clock) => {
        const any = new Schedule(base);
        for (const now of clock) {
          const { at = now, skipped = 0 } = any.next(now) ?? {};
          assert.ok(at >= now && at - now <= 1000 && skipped >= 0, `${now} ${at}`);
        }
      }),
    );
  });
});
