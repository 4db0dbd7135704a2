import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Schedule } from '../../src/monitor/schedule.ts';
import { fc } from '../support/fast-check.ts';

describe('the schedule of repeated runs', () => {
  const cases: readonly (readonly [what: string, asked: string, begun: string, times?: number])[] =
    [
      ['begins at once, then at multiples', '5000 5400 6999 8000', '5000 6000 7000 8000'],
      ['leaves out and counts what a long run overlaps', '0 3200 4100', '0 4000 (-3) 5000'],
      ['ends after a number of runs', '0 10 1020', '0 1000 ended', 2],
      ['waits an interval where the clock was set back', '99000 1000 2100', '99000 2000 3000'],
    ];
  for (const [what, asked, begun, times] of cases) {
    it(what, () => {
      const schedule = new Schedule({ everyMs: 1000, times });
      const runs = asked.split(' ').map((now) => {
        const { at = 'ended', skipped = 0 } = schedule.next(Number(now)) ?? {};
        return skipped === 0 ? at : `${at} (-${skipped})`;
      });
      assert.equal(runs.join(' '), begun);
    });
  }

  it('never waits longer than the interval, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100_000 })), (clock) => {
        const schedule = new Schedule({ everyMs: 1000 });
        for (const now of clock) {
          const { at, skipped } = schedule.next(now) ?? assert.fail();
          assert.ok(at >= now && at - now <= 1000 && skipped >= 0, `${now} ${at}`);
        }
      }),
    );
  });
});
