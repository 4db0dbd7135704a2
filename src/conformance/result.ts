import type { Exchange } from '../client/exchange.ts';
import type { Diagnosis } from '../errors.ts';
import type { Capability, CheckFacts } from './check.ts';
import type { RecordedExchange } from './record.ts';
import type { Fault } from './verdict.ts';

/** A failed `should` is `warned`, unless the run is strict. */
export type Status = 'passed' | 'failed' | 'warned' | 'skipped';

/** What became of one check. */
export interface CheckResult {
  readonly check: CheckFacts;
  readonly status: Status;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What it sent, in the order in which it was sent. */
  readonly exchanges: readonly RecordedExchange[];
  /** Set exactly when it failed or warned. */
  readonly fault?: Fault;
  /** Why it was skipped, as a sentence; set exactly when it was. */
  readonly reason?: string;
  readonly notes: readonly string[];
  /** What it found out for other checks. */
  readonly provides?: readonly Capability[];
}

/** One run of the catalogue, or of a part of it, against one endpoint. */
export interface RunResult {
  readonly url: URL;
  readonly clientId: string;
  /** In the canonical notation. */
  readonly cipher: string;
  readonly seed: string;
  readonly strict: boolean;
  readonly startedAt: number;
  readonly durationMs: number;
  /** The checks that were asked for, in the order of the catalogue. */
  readonly checks: readonly CheckResult[];
  /** Checks that were run only because others need them. */
  readonly controls: readonly CheckResult[];
  /** Everything that was sent, in the order in which it was sent. */
  readonly exchanges: readonly RecordedExchange[];
  /** The user codes that keys were exchanged for. */
  readonly users: readonly string[];
  /** Why no request at all got an answer; absent once one did, or if none was sent. */
  readonly unreachable?: Diagnosis;
  /** The run was stopped before its end. */
  readonly interrupted: boolean;
}

/** How many checks ended how. */
export type Summary = Readonly<Record<Status, number>>;

/** Counts the checks of a run; controls are not counted. */
export function summarise(checks: readonly Pick<CheckResult, 'status'>[]): Summary {
  const summary = { passed: 0, failed: 0, warned: 0, skipped: 0 };
  for (const { status } of checks) summary[status] += 1;
  return summary;
}

/** Whether anything at all of an answer came. */
export function isAnswered({ answer, partial }: Exchange): boolean {
  return answer !== undefined || partial !== undefined;
}
