import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { createTransport } from '../client/transport.ts';
import type { Environment } from '../emulator/handling.ts';
import type { DiagnosisCode } from '../errors.ts';
import type { Counts, LoadJob, Report } from './job.ts';
import { type Attempted, signUps } from './scenario.ts';

/** How often a thread reports what it has counted. */
const reportMs = 100;

/** Failures that another attempt meets again; a time-out may be the load itself. */
const unreachable: ReadonlySet<DiagnosisCode | undefined> = new Set([
  'refused',
  'dns',
  'tls-untrusted',
  'tls-expired',
  'tls-hostname',
  'tls-version',
]);

/** How many of them are enough, for each thread. */
const mostRefusals = 5;

/** One thread of a load: reports that it is ready, waits to be started, and does and counts its share of the run. */
export function serveLoad(
  { task, wire, schedule, index, threads, latencies }: LoadJob,
  port: Pick<MessagePort, 'once' | 'postMessage'>,
  environment: Environment,
): void {
  const { now } = environment;
  const transport = createTransport({ ...wire, now });
  const signUp = signUps(task, environment);
  const counts: Counts = {
    succeeded: 0,
    failed: 0,
    underWay: 0,
    notStarted: 0,
    lastEnd: 0,
    responded: false,
    gaveUp: false,
    busy: 0,
    errors: {},
  };
  const pace = new AbortController();
  let refusals = 0;

  const send = (report: Report) => port.postMessage(report);
  port.once('message', run);
  port.once('close', () => pace.abort());
  send({ type: 'ready' });

  async function run(startAt: number): Promise<void> {
    await delay(Math.max(0, startAt - now()));
    const reporting = setInterval(() => send({ type: 'counted', counts: counted() }), reportMs);
    await keepPace({
      schedule,
      index,
      threads,
      // A timer may be a little early: nothing begins before the start.
      elapsed: () => Math.max(0, now() - startAt),
      perform: async (intendedAt) => {
        counts.underWay += 1;
        const attempted = await signUp(transport);
        counts.underWay -= 1;
        counts.lastEnd = now();
        record(attempted, counts.lastEnd - startAt - intendedAt);
      },
      giveUp: (count) => {
        counts.notStarted += count;
      },
      signal: pace.signal,
    });
    clearInterval(reporting);
    void transport.close();
    send({ type: 'ended', counts: counted() });
  }

  function counted(): Counts {
    counts.busy = performance.eventLoopUtilization().utilization;
    return counts;
  }

  function record(attempted: Attempted, latencyMs: number): void {
    const { ok, diagnosis, stepsMs, responded, secrets } = attempted;
    counts[ok ? 'succeeded' : 'failed'] += 1;
    counts.responded ||= responded;
    if (diagnosis !== undefined) {
      const { code } = diagnosis;
      if (counts.errors[code] === undefined) send({ type: 'example', diagnosis, secrets });
      counts.errors[code] = (counts.errors[code] ?? 0) + 1;
    }
    // Nothing can be measured where no attempt has got through, and none will.
    if (!counts.responded && unreachable.has(diagnosis?.code)) refusals += 1;
    if (refusals >= mostRefusals && !counts.responded) {
      counts.gaveUp = true;
      pace.abort();
    }
    // Of failures only a time-out shows how long users wait; without it latencies would look better.
    if (!ok && diagnosis?.code !== 'timeout') return;
    [latencyMs, ...stepsMs].forEach((ms, at) => {
      latencies[at]?.record(Math.max(1, Math.round(ms * 1000)));
    });
  }
}

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
