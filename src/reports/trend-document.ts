import { durationsOf, type Latency, latenciesOf, latencyOf } from './latencies.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';

export const trendSchema = 'authcli/trend/1';

/** What is read of a stored report. */
export interface TrendSource
  extends Pick<VerifyDocument, 'started_at' | 'duration_ms' | 'requests'> {
  readonly unreachable?: { readonly code: string } | undefined;
  readonly ok: boolean;
  readonly checks: readonly Pick<CheckDocument, 'id' | 'title' | 'status' | 'exchanges'>[];
  readonly controls: readonly Pick<CheckDocument, 'exchanges'>[];
}

type TrendRunStatus = 'passed' | 'failed' | 'unreachable';

/** One run. */
export interface TrendRun {
  /** When it began; ISO 8601, in UTC. */
  readonly at: string;
  readonly status: TrendRunStatus;
  readonly duration_ms: number;
  readonly requests: number;
  /** The ids of the checks that failed. */
  readonly failed: readonly string[];
  /** The diagnosis code, if no response came. */
  readonly unreachable?: string;
  /** Of valid requests that got a response, by operation. */
  readonly latency_ms: Readonly<Record<string, Latency>>;
}

/** Runs one after the other that ended alike: same status, same failures. */
export interface TrendPeriod extends Pick<TrendRun, 'status' | 'failed' | 'unreachable'> {
  /** When its first and its last run began. */
  readonly from: string;
  readonly to: string;
  readonly runs: number;
}

export type TrendStatus = 'passed' | 'failed' | 'warned' | 'skipped';

/** A check over the runs; `skipped` also where a run doesn't contain it, or got no response. */
export interface TrendCheck extends Readonly<Record<TrendStatus, number>> {
  readonly id: string;
  readonly title: string;
  /** In the last run. */
  readonly status: TrendStatus;
  /** Runs one after the other in which it had the same status. */
  readonly spans: readonly TrendSpan[];
}

interface TrendSpan {
  readonly from: string;
  readonly status: TrendStatus;
  readonly runs: number;
}

/** Reports of one target over time as plain data (schemas/trend-1.json). */
export interface TrendDocument {
  readonly schema: typeof trendSchema;
  readonly version: string;
  readonly target: string;
  readonly from: string;
  readonly to: string;
  readonly summary: Readonly<Record<'runs' | TrendRunStatus, number>>;
  /** Files of the folder that it leaves out. */
  readonly left_out: LeftOut;
  readonly latency_ms: Readonly<Record<string, Latency>>;
  readonly periods: readonly TrendPeriod[];
  readonly checks: readonly TrendCheck[];
  readonly runs: readonly TrendRun[];
}

export interface LeftOut {
  /** The other targets, with the number of their reports. */
  readonly targets: Readonly<Record<string, number>>;
  readonly interrupted: number;
  /** JSON files that are not reports of verify. */
  readonly other_files: number;
}

interface TrendFacts {
  readonly version: string;
  readonly target: string;
  readonly left_out: LeftOut;
}

/** Collects runs, of which it keeps little; they are given in the order in which they began. */
export class Trend {
  readonly #runs: TrendRun[] = [];
  readonly #checks = new Map<string, Collected>();
  readonly #durations = new Map<string, number[]>();

  add(source: TrendSource): void {
    const { started_at: at, duration_ms, requests, checks, ok, unreachable } = source;
    const isReached = unreachable === undefined;
    const failed = checks.filter(({ status }) => status === 'failed').map(({ id }) => id);
    this.#runs.push({
      at,
      status: isReached ? (ok ? 'passed' : 'failed') : 'unreachable',
      duration_ms,
      requests,
      failed: isReached ? failed : [],
      ...(unreachable && { unreachable: unreachable.code }),
      latency_ms: latenciesOf(source),
    });
    for (const { id, title, status } of checks) {
      this.#note(id, title, isReached ? status : 'skipped');
    }
    for (const [id, { title }] of this.#checks) this.#note(id, title, 'skipped');
    for (const [operation, values] of durationsOf(source)) {
      const known = this.#durations.get(operation) ?? [];
      this.#durations.set(operation, known);
      known.push(...values);
    }
  }

  document(facts: TrendFacts): TrendDocument {
    const runs = this.#runs;
    const of = (status: TrendRunStatus): number =>
      runs.filter((run) => run.status === status).length;
    const [passed, failed, unreachable] = [of('passed'), of('failed'), of('unreachable')];
    return {
      schema: trendSchema,
      ...facts,
      from: runs[0]?.at ?? '',
      to: runs.at(-1)?.at ?? '',
      summary: { runs: runs.length, passed, failed, unreachable },
      latency_ms: Object.fromEntries(
        [...this.#durations].map(([operation, values]) => [operation, latencyOf(values)]),
      ),
      periods: periodsOf(runs),
      checks: [...this.#checks].map(([id, check]) => checkOf(id, check)),
      runs,
    };
  }

  /** The first status that is given of a check in a run counts. */
  #note(id: string, title: string, status: TrendStatus): void {
    const known = this.#checks.get(id);
    const before = this.#runs.length - 1;
    const check = known ?? { title, runs: before, spans: this.#unseen(before) };
    this.#checks.set(id, check);
    if (check.runs > before) return;
    check.runs += 1;
    const last = check.spans.at(-1);
    if (last?.status === status) last.runs += 1;
    else check.spans.push({ from: this.#runs[before]?.at ?? '', status, runs: 1 });
  }

  /** The runs before the first one that contains a check. */
  #unseen(runs: number): Span[] {
    const [first] = this.#runs;
    return first === undefined || runs === 0 ? [] : [{ from: first.at, status: 'skipped', runs }];
  }
}

interface Span extends Omit<TrendSpan, 'runs'> {
  runs: number;
}

interface Collected {
  readonly title: string;
  readonly spans: Span[];
  runs: number;
}

function periodsOf(runs: readonly TrendRun[]): readonly TrendPeriod[] {
  const periods: (Omit<TrendPeriod, 'to' | 'runs'> & { to: string; runs: number })[] = [];
  let lastKey: string | undefined;
  for (const { at, status, failed, unreachable } of runs) {
    const key = JSON.stringify([status, failed, unreachable]);
    const last = periods.at(-1);
    if (last !== undefined && key === lastKey) {
      last.to = at;
      last.runs += 1;
    } else {
      periods.push({
        from: at,
        to: at,
        runs: 1,
        status,
        failed,
        ...(unreachable && { unreachable }),
      });
    }
    lastKey = key;
  }
  return periods;
}

function checkOf(id: string, { title, spans }: Collected): TrendCheck {
  const of = (status: TrendStatus): number =>
    spans.reduce((sum, span) => sum + (span.status === status ? span.runs : 0), 0);
  return {
    id,
    title,
    status: spans.at(-1)?.status ?? 'skipped',
    passed: of('passed'),
    failed: of('failed'),
    warned: of('warned'),
    skipped: of('skipped'),
    spans,
  };
}
