import type { Diagnosis } from '../errors.ts';
import type { LatencyBand } from './latency-counts.ts';
import type { Moment } from './timeline.ts';

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
  readonly scenario: 'signup' | 'signin';
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
