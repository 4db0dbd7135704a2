import type { LatencySummary, LoadError, LoadResult } from '../load/result.ts';
import { roundTo } from '../text.ts';

/** A load as published: the JSON of the command, and the source of the other reports. */
export type LoadDocument = ReturnType<typeof toLoadDocument>;

export interface ThresholdDocument {
  /** "p99 at most 200 ms" */
  readonly threshold: string;
  readonly kept: boolean;
  /** "312 ms" */
  readonly observed: string;
}

export interface LoadFacts {
  readonly version: string;
  readonly url: string;
  /** "16 at the same time", "100 a second" */
  readonly pace: string;
  readonly thresholds: readonly ThresholdDocument[];
  readonly notes: readonly string[];
  /** By all threads of this program; absent if it is unknown. */
  readonly used?: { readonly cpuMs: number; readonly peakMemoryBytes: number };
}

const schema = 'authcli/load/1';

/** The document of a result; times are milliseconds with at most three decimals. */
export function toLoadDocument(result: LoadResult, facts: LoadFacts) {
  const { latency, steps, errors, weaknesses } = result;
  return {
    schema,
    version: facts.version,
    url: facts.url,
    started_at: result.startedAt,
    duration_ms: roundTo(3, result.durationMs),
    pace: facts.pace,
    attempted: result.succeeded + result.failed,
    succeeded: result.succeeded,
    failed: result.failed,
    unfinished: result.unfinished,
    not_started: result.notStarted,
    signups_per_second: roundTo(3, result.perSecond),
    latency_ms: latencyDocument(latency),
    steps: steps.map((step, index) => ({
      name: index === 0 ? 'key exchange' : 'registration complete',
      latency_ms: latencyDocument(step),
    })),
    errors: Object.fromEntries(errors.map(({ code, count }) => [code, count])),
    diagnoses: [...errors, ...weaknesses].map(errorDocument),
    keys: {
      examined: result.examinedKeys,
      weak: Object.fromEntries(weaknesses.map(({ code, count }) => [code, count])),
    },
    thresholds: facts.thresholds,
    distribution: result.bands.map(({ toMs, count }) => ({ to_ms: roundTo(3, toMs), count })),
    timeline: result.timeline.map((moment) => ({
      at_ms: roundTo(3, moment.atMs),
      duration_ms: roundTo(3, moment.durationMs),
      succeeded: moment.succeeded,
      failed: moment.failed,
      mean_ms: roundTo(3, moment.meanMs),
      max_ms: roundTo(3, moment.maxMs),
    })),
    workers: result.threads,
    busy: roundTo(3, result.busy),
    ...(facts.used && {
      cpu_ms: roundTo(3, facts.used.cpuMs),
      memory_mb: roundTo(3, facts.used.peakMemoryBytes / 1_000_000),
    }),
    interrupted: result.interrupted,
    notes: facts.notes,
  };
}

function latencyDocument({ count: _, ...latency }: LatencySummary) {
  const entries = Object.entries(latency).map(([name, ms]) => [name, roundTo(3, ms)] as const);
  return Object.fromEntries(entries) as Record<keyof typeof latency, number>;
}

function errorDocument({ code, count, message, hint, calls, evidence }: LoadError) {
  return { code, count, message, hint, calls, ...(evidence && { evidence }) };
}
