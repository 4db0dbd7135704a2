import type { Diagnosis } from '../errors.ts';
import { roundTo } from '../text.ts';
import type { LatencyBand } from './latency-counts.ts';
import type { Moment } from './run.ts';

/** Durations in milliseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** One kind of failure, or of weakness: the first that was seen; its words are empty where it isn't known. */
export interface LoadError extends Diagnosis {
  readonly count: number;
}

/** The result of a load. */
export interface LoadResult {
  /** ISO 8601. */
  readonly startedAt: string;
  /** From the start to the last sign-up that ended. */
  readonly durationMs: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Begun, and not ended when the run was stopped. */
  readonly unfinished: number;
  /** Due, and not begun because too many were under way. */
  readonly notStarted: number;
  /** Whether any response came at all. */
  readonly responded: boolean;
  /** Whether it ended early because nothing took a connection. */
  readonly gaveUp?: boolean;
  readonly perSecond: number;
  readonly latency: LatencySummary;
  /** Of the first and of the second call. */
  readonly steps: readonly LatencySummary[];
  /** How many took how long; empty if only percentiles are known. */
  readonly bands: readonly LatencyBand[];
  readonly errors: readonly LoadError[];
  /** Keys that were examined thoroughly, and what makes some weak. */
  readonly examinedKeys: number;
  readonly weaknesses: readonly LoadError[];
  readonly timeline: readonly Moment[];
  readonly threads: number;
  /** The share of time that authcli's busiest thread worked, from 0 to 1. */
  readonly busy: number;
  readonly interrupted: boolean;
}

/** The limits of a run, all optional; latencies in milliseconds. */
export interface Thresholds {
  readonly maxP99?: number;
  /** How many may fail: a number, or a share from 0 to 1 of those that ended. */
  readonly maxErrors?: { readonly count: number } | { readonly share: number };
}

/** One threshold and what was measured. */
export interface ThresholdVerdict {
  readonly threshold: string;
  readonly kept: boolean;
  readonly observed: string;
}

/** Compares a result with the thresholds. A run in which nothing succeeded meets no latency. */
export function judgeThresholds(
  { latency, succeeded, failed }: LoadResult,
  { maxP99, maxErrors }: Thresholds,
): readonly ThresholdVerdict[] {
  const verdicts: ThresholdVerdict[] = [];
  if (maxP99 !== undefined) {
    verdicts.push({
      threshold: `p99 at most ${maxP99} ms`,
      kept: latency.count > 0 && latency.p99 <= maxP99,
      observed: `${roundTo(2, latency.p99)} ms`,
    });
  }
  if (maxErrors !== undefined) verdicts.push(judgeErrors(failed, succeeded + failed, maxErrors));
  return verdicts;
}

function judgeErrors(
  failed: number,
  ended: number,
  limit: NonNullable<Thresholds['maxErrors']>,
): ThresholdVerdict {
  const share = ended === 0 ? 0 : failed / ended;
  const observed = `${failed} of ${ended} (${roundTo(2, share * 100)}%)`;
  return 'share' in limit
    ? {
        threshold: `errors at most ${roundTo(2, limit.share * 100)}%`,
        kept: share <= limit.share,
        observed,
      }
    : { threshold: `errors at most ${limit.count}`, kept: failed <= limit.count, observed };
}
