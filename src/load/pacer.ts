import { setTimeout as delay } from 'node:timers/promises';
import type { LoadJob } from './job.ts';

interface Pacing extends Pick<LoadJob, 'schedule' | 'index' | 'threads'> {
  /** Milliseconds since the start of the run. */
  readonly elapsed: () => number;
  /** Does one sign-up; `intendedAt` is when it should begin, in milliseconds from the start. */
  readonly perform: (intendedAt: number) => Promise<void>;
  /** Sign-ups that were due and not begun before the end. */
  readonly giveUp: (count: number) => void;
  /** Nothing begins once it is aborted. */
  readonly signal: AbortSignal;
}

/** Timers tick in milliseconds: only a delay beyond one tick counts as waiting. */
const tickMs = 1;

/**
 * Begins sign-ups on schedule, and waits for the last one to end. Each thread takes every nth number of the run, so
 * that together they follow the whole schedule without messages.
 */
export async function keepPace({ schedule, index, threads, ...pacing }: Pacing): Promise<void> {
  const { pace, durationMs, signups } = schedule;
  const { elapsed, perform, giveUp, signal } = pacing;
  const isOver = () => signal.aborted || elapsed() >= durationMs;
  let number = index;
  if (pace.model === 'closed') {
    const runSlot = async () => {
      while (!isOver() && number < signups) {
        number += threads;
        await perform(elapsed());
      }
    };
    const slots = Array.from({ length: pace.atOnce }, (_, slot) => slot);
    await Promise.all(slots.filter((slot) => slot % threads === index).map(runSlot));
    return;
  }
  const due = () => (number * 1000) / pace.perSecond;
  const most = Math.max(1, Math.floor(pace.mostAtOnce / threads));
  const underWay = new Set<Promise<void>>();
  for (; number < signups && due() < durationMs; number += threads) {
    while (elapsed() < due() && !signal.aborted)
      await delay(Math.min(due() - elapsed(), 2 ** 31 - 1), undefined, { signal }).catch(() => {});
    while (underWay.size >= most && !isOver()) await Promise.race(underWay);
    if (isOver()) break;
    const begun = perform(Math.min(elapsed(), due() + tickMs)).finally(() => {
      underWay.delete(begun);
    });
    underWay.add(begun);
  }
  const end = Math.min(durationMs, elapsed());
  let left = 0;
  for (; number < signups && due() < end; number += threads) left += 1;
  giveUp(left);
  await Promise.all(underWay);
}
