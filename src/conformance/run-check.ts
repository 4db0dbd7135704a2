import type { Check } from './check.ts';
import { CheckContext } from './context.ts';
import { missingNeed } from './plan.ts';
import type { RecordedExchange } from './record.ts';
import type { CheckResult } from './result.ts';
import type { TestUsers } from './test-users.ts';
import { CheckFailed, CheckSkipped, type Passed } from './verdict.ts';
import type { RunWorld } from './world.ts';

/** What one check is run with. */
export interface CheckWorld extends RunWorld {
  readonly users: TestUsers;
  readonly concurrentUsers: number;
  readonly strict: boolean;
  readonly signal?: AbortSignal;
  /** The checks that have ended, by id. */
  readonly results: ReadonlyMap<string, CheckResult>;
}

type Verdict = Pick<CheckResult, 'status' | 'fault' | 'reason' | 'notes' | 'provides'>;

/** Runs one check to its verdict. Rejects only for a mistake of its own. */
export async function runCheck(check: Check, world: CheckWorld): Promise<CheckResult> {
  const startedAt = world.now();
  const missing = missingNeed(check, world.results);
  if (missing !== undefined) return notRun(check, missing, startedAt);
  const count = usersOf(check, world);
  const codes = world.users.forCheck(check.id, count);
  if (codes === undefined) return notRun(check, tooFewCodes(count, world.users), startedAt);
  const context = new CheckContext(check, codes, world);
  const verdict = await verdictOf(check, context, world);
  const durationMs = world.now() - startedAt;
  return { check, startedAt, durationMs, exchanges: context.sent, ...verdict };
}

/** The result of a check that was not run, for a reason (a sentence). */
export function notRun(check: Check, reason: string, now: number): CheckResult {
  const exchanges: readonly RecordedExchange[] = [];
  return { check, startedAt: now, durationMs: 0, exchanges, ...skipped(reason) };
}

async function verdictOf(check: Check, context: CheckContext, world: CheckWorld): Promise<Verdict> {
  try {
    return passed(await check.run(context));
  } catch (error) {
    if (error instanceof CheckSkipped) return skipped(error.message);
    if (error instanceof CheckFailed) return failed(check, error, world);
    if (world.signal?.aborted) return skipped('The run was interrupted.');
    throw error;
  }
}

function passed(said: Passed | undefined): Verdict {
  return { status: 'passed', notes: said?.notes ?? [], provides: said?.provides };
}

function failed(check: Check, { fault }: CheckFailed, { strict, record }: CheckWorld): Verdict {
  if (fault.diagnosis !== undefined) record.reported.add(fault.diagnosis.code);
  const status = check.level === 'must' || strict ? 'failed' : 'warned';
  return { status, fault, notes: [], provides: fault.provides };
}

function skipped(reason: string): Verdict {
  return { status: 'skipped', reason, notes: [] };
}

/** With given codes, as many sign up at the same time as there are codes. */
function usersOf(
  { users = 1, fewerWillDo = false }: Check,
  { concurrentUsers, users: { limit } }: CheckWorld,
): number {
  if (users !== 'concurrent') return fewerWillDo ? Math.min(users, limit ?? users) : users;
  return Math.max(2, Math.min(concurrentUsers, limit ?? concurrentUsers));
}

function tooFewCodes(count: number, { limit = 0 }: TestUsers): string {
  return `It signs up ${count} users, and ${limit === 1 ? 'only one user code was' : `only ${limit} user codes were`} given.`;
}
