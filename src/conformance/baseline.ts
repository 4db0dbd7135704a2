import type { CheckFacts } from './check.ts';
import type { CheckResult } from './result.ts';
import { matches } from './selection.ts';

/** A failure that is known and put up with for now. */
export interface KnownFailure {
  /** The id of a check, or a glob. */
  readonly check: string;
  /** Why it is put up with. */
  readonly reason: string;
  /** The last day on which it is, `2027-01-31`; without one, it has no end. */
  readonly until?: string;
}

/** What a baseline makes of the results of a run. */
export interface BaselineJudgement {
  /** The failures that are known, by the id of the check. */
  readonly known: ReadonlyMap<string, KnownFailure>;
  /** Entries whose checks ran and hold: each is a failure, since nobody would notice the next one. */
  readonly stale: readonly KnownFailure[];
  /** Entries whose day is over; what they name counts as it is. */
  readonly expired: readonly KnownFailure[];
}

/** Compares results with what was expected; `today` is a day in UTC, `2027-01-31`. */
export function judgeBaseline(
  results: readonly CheckResult[],
  baseline: readonly KnownFailure[],
  today: string,
): BaselineJudgement {
  const expired = baseline.filter((entry) => isOver(entry, today));
  const inForce = baseline.filter((entry) => !isOver(entry, today));
  const known = new Map<string, KnownFailure>();
  for (const result of results.filter(isTroubled)) {
    const entry = inForce.find(({ check }) => matches(result.check.id, check));
    if (entry !== undefined) known.set(result.check.id, entry);
  }
  return { known, stale: inForce.filter((entry) => isStale(entry, results)), expired };
}

/** Whether a failure is covered, so that it ends no run. */
export function isKnownFailure(
  { id }: CheckFacts,
  baseline: readonly KnownFailure[],
  today: string,
): boolean {
  return baseline.some((entry) => !isOver(entry, today) && matches(id, entry.check));
}

/**
 * The baseline of today's failures: entries that still say something are kept, with their reasons,
 * failures that none covers are added with what was found, and stale and expired entries go.
 */
export function updateBaseline(
  results: readonly CheckResult[],
  baseline: readonly KnownFailure[],
  today: string,
): readonly KnownFailure[] {
  const kept = baseline.filter((entry) => !isOver(entry, today) && !isStale(entry, results));
  const failed = results.filter(({ status }) => status === 'failed');
  const added = failed
    .filter(({ check }) => !kept.some((entry) => matches(check.id, entry.check)))
    .map(({ check, fault }) => ({
      check: check.id,
      reason: `Found on ${today}: ${fault?.diagnosis?.code ?? fault?.observed ?? 'it does not hold'}`,
    }));
  return [...kept, ...added];
}

/** An entry is stale when a check that it names was judged and none of them is in trouble. */
function isStale(entry: KnownFailure, results: readonly CheckResult[]): boolean {
  const named = results.filter(({ check }) => matches(check.id, entry.check));
  return named.some(({ status }) => status === 'passed') && !named.some(isTroubled);
}

function isTroubled({ status }: CheckResult): boolean {
  return status === 'failed' || status === 'warned';
}

function isOver({ until }: KnownFailure, today: string): boolean {
  return until !== undefined && until < today;
}
