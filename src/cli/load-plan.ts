import { type Schedule, stagedRate, steadyRate } from '../load/schedule.ts';
import { isLoopback } from '../protocol/http-url.ts';
import { usage } from './hints.ts';
import type { LoadOptions } from './load-flags.ts';

/** How long a run is where nothing is said of it. */
const defaultDurationMs = 10_000;
const defaultConcurrency = 16;
/** How many may be under way at the same time where a rate begins them. */
const mostAtRate = 500;

/** The schedule that the options say. */
export function scheduleOf(options: LoadOptions): Schedule {
  const { stage: stages, rate, concurrency, rampUp: rampUpMs = 0, signups } = options;
  const warmUpMs = options.warmUp ?? 0;
  const limits = {
    warmUpMs,
    signups: signups ?? Number.POSITIVE_INFINITY,
    durationMs:
      options.duration ?? (signups === undefined ? defaultDurationMs : Number.POSITIVE_INFINITY),
  };
  const mostAtOnce = concurrency ?? mostAtRate;
  if (stages.length > 0) {
    const wholeMs = stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
    if (wholeMs <= warmUpMs) {
      throw usage('--warm-up is as long as all stages together.', 'Nothing would be counted.');
    }
    const pace = { model: 'open', stages: stagedRate(stages), mostAtOnce } as const;
    return { ...limits, durationMs: wholeMs - warmUpMs, pace };
  }
  if (rate !== undefined) {
    return { ...limits, pace: { model: 'open', stages: steadyRate(rate, rampUpMs), mostAtOnce } };
  }
  return {
    ...limits,
    pace: { model: 'closed', atOnce: concurrency ?? defaultConcurrency, rampUpMs },
  };
}

/** The pace and length in words: "16 at the same time, for 10 s". */
export function paceText({ pace, signups, durationMs }: Schedule): string {
  const until = Number.isFinite(signups) ? `${signups} of them` : `for ${seconds(durationMs)} s`;
  if (pace.model === 'closed') return `${pace.atOnce} at the same time, ${until}`;
  const rates = pace.stages.map(({ to }) => to);
  const [first, last] = [Math.min(...rates), Math.max(...rates)];
  return `${first === last ? first : `up to ${last}`} a second, ${until}`;
}

/**
 * How many threads run: on the machine that runs the application as well, half of what it can, since
 * each more would take from the application what it gives to the load; elsewhere all of it.
 */
export function threadsOf(options: LoadOptions, target: URL, parallelism: number): number {
  if (options.workers !== undefined) return options.workers;
  const atOnce = options.concurrency ?? defaultConcurrency;
  const sharing = isLoopback(target) ? Math.floor(parallelism / 2) : parallelism;
  return Math.max(1, Math.min(sharing, atOnce));
}

/**
 * A load of another machine is meant, or it is a mistake that signs thousands up in somebody's
 * database: the host has to be named twice.
 * @throws AuthcliError `usage` where it isn't.
 */
export function checkTarget(target: URL, allowHost: string | undefined): void {
  const { hostname } = target;
  if (isLoopback(target)) return;
  if (allowHost?.toLowerCase() === hostname.toLowerCase()) return;
  const seen = allowHost === undefined ? '' : ` --allow-host names ${allowHost}.`;
  throw usage(
    `${hostname} is not this machine, and a load signs up as many users as it can.${seen}`,
    `If you may load it, say so: --allow-host ${hostname}`,
  );
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
