import { faultsOfWatch } from '../monitor/long-watch.ts';
import type { HardeningOptions, SectionResult } from './section.ts';

/** `verify --every` for weeks: its memory stays the same, and it reports every change once. */
export async function repeatedRuns({
  quick,
  times = quick ? 100 : 1000,
}: HardeningOptions): Promise<SectionResult> {
  const failures = await faultsOfWatch(times, 4);
  return {
    rows: [
      {
        what: 'repeated runs of verify --every',
        tried: times,
        outcome: 'flat and right',
        count: failures.length === 0 ? times : 0,
        atLeast: times,
      },
    ],
    failures,
  };
}
