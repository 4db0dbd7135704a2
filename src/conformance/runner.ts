import { hasResponse } from '../client/exchange.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { type Check, CheckFailed, CheckSkipped, type Passed, type Stage, stages } from './check.ts';
import type { CheckContext, RunEnvironment, TestUsers } from './context.ts';
import { type CheckResult, RunRecord, type RunResult } from './result.ts';
import { missingNeed, planOf, providerOf } from './selection.ts';
import { Sender } from './sender.ts';

export interface RunOptions extends Omit<RunEnvironment, 'record' | 'hasPassed'> {
  readonly catalogue: readonly Check[];
  /** The checks to run; the controls that they need are added. */
  readonly selected: readonly Check[];
  readonly users: TestUsers;
  readonly concurrentUsers: number;
  readonly strict: boolean;
  readonly bail: boolean;
  /** Known failures don't bail. */
  readonly isKnown?: (result: CheckResult) => boolean;
  /** Stops the run; unfinished checks count as not run. */
  readonly signal?: AbortSignal;
}

const checksInParallel = 6;
/** Those that share nothing: the sign-ins, of which as many are made at once as the machine can bear. */
const independentInParallel = 12;

/** Nothing runs in parallel unless these show that concurrent requests don't mix up users. */
const showIndependence = ['registration/key-of-that-user', 'protocol/concurrent-signups'];

export class Run {
  readonly #options: RunOptions;
  readonly #record = new RunRecord();
  readonly #results = new Map<string, CheckResult>();
  readonly #begun = new Map<string, Promise<void>>();
  #startedAt: number;
  readonly #selected: readonly Check[];
  readonly #controls: readonly Check[];
  #stopped: string | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    const { selected, controls } = planOf(options.selected, options.catalogue);
    this.#selected = selected;
    this.#controls = controls;
  }

  /** Runs everything; never rejects because of the other side. */
  async start(): Promise<RunResult> {
    const { catalogue, emit, keyPairs, now } = this.#options;
    this.#startedAt = now();
    emit({ type: 'run-started', checks: this.#selected, controls: this.#controls });
    const planned = new Set([...this.#selected, ...this.#controls]);
    const inOrder = catalogue.filter((check) => planned.has(check));
    for (const stage of stages) {
      // Large pairs are generated while the first checks wait for responses.
      if (stage === 'right-requests' && this.#needsLargePairs()) keyPairs.prepareLarge();
      await this.#runStage(
        stage,
        inOrder.filter((check) => check.stage === stage),
      );
    }
    return this.result();
  }

  /** The results so far; checks that have not ended are skipped, with the reason. */
  result(): RunResult {
    const { url, clientId, cipher, seed, strict, now, signal } = this.#options;
    const exchanges = [...this.#record.exchanges, ...this.#record.signIns].sort(
      (a, b) => a.exchange.startedAt - b.exchange.startedAt,
    );
    const isReached = exchanges.some(({ exchange }) => hasResponse(exchange));
    return {
      url,
      clientId,
      cipher: formatCipher(cipher),
      seed,
      strict,
      startedAt: this.#startedAt,
      durationMs: now() - this.#startedAt,
      checks: this.#selected.map((check) => this.#resultOf(check)),
      controls: this.#controls.map((check) => this.#resultOf(check)),
      exchanges,
      users: this.#record.users,
      unreachable: isReached ? undefined : exchanges[0]?.exchange.failure,
      interrupted: signal?.aborted ?? false,
    };
  }

  #resultOf(check: Check): CheckResult {
    const reason = this.#stopped ?? 'The run was interrupted before this check had ended.';
    return this.#results.get(check.id) ?? notRun(check, reason, this.#options.now());
  }

  #needsLargePairs(): boolean {
    const id = 'key-exchange/key-sizes';
    return this.#selected.some((check) => check.id === id) && !this.#isOver();
  }

  async #runStage(stage: Stage, checks: readonly Check[]): Promise<void> {
    const parallel = stage === 'right-requests' || stage === 'wrong-requests';
    const workers = parallel && this.#mayRunInParallel() ? checksInParallel : 1;
    const free = checks.filter(({ isIndependent }) => parallel && isIndependent === true);
    const bound = checks.filter((check) => !free.includes(check));
    await this.#work(bound, workers);
    await this.#work(free, independentInParallel);
  }

  async #work(checks: readonly Check[], workers: number): Promise<void> {
    const waiting = checks.values();
    const work = async (): Promise<void> => {
      for (const check of waiting) {
        const run = this.#runAfterNeeds(check);
        this.#begun.set(check.id, run);
        await run;
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
  }

  #mayRunInParallel(): boolean {
    const { users } = this.#options;
    return users.limit === undefined && showIndependence.every((id) => this.#hasPassed(id));
  }

  /** What a check needs comes before it in the catalogue, so it has been started. */
  async #runAfterNeeds(check: Check): Promise<void> {
    await Promise.all(check.needs.map((need) => this.#begun.get(providerOf(need))));
    await this.#runOne(check);
  }

  async #runOne(check: Check): Promise<void> {
    if (this.#isOver()) return;
    const { emit } = this.#options;
    emit({ type: 'check-started', check });
    const result = await runCheck(check, {
      ...this.#options,
      record: this.#record,
      results: this.#results,
      hasPassed: (id) => this.#hasPassed(id),
    });
    if (this.#options.signal?.aborted) return;
    this.#results.set(check.id, result);
    emit({ type: 'check-ended', result, isControl: this.#controls.includes(check) });
    this.#bailAfter(result);
  }

  #hasPassed(id: string): boolean {
    return this.#results.get(id)?.status === 'passed';
  }

  #isOver(): boolean {
    return this.#stopped !== undefined || this.#options.signal?.aborted === true;
  }

  #bailAfter(result: CheckResult): void {
    const { bail, isKnown = () => false } = this.#options;
    if (!bail || result.status !== 'failed' || isKnown(result)) return;
    this.#stopped = `The run ended after the first failure, ${result.check.id}.`;
  }
}

interface CheckEnvironment
  extends RunEnvironment,
    Pick<RunOptions, 'users' | 'concurrentUsers' | 'strict' | 'signal'> {
  /** The checks that have ended, by id. */
  readonly results: ReadonlyMap<string, CheckResult>;
}

type Verdict = Pick<
  CheckResult,
  'status' | 'fault' | 'reason' | 'notes' | 'provides' | 'isUntested'
>;

/** Rejects only for a mistake in the check. */
async function runCheck(check: Check, environment: CheckEnvironment): Promise<CheckResult> {
  const startedAt = environment.now();
  const missing = missingNeed(check, environment.results);
  if (missing !== undefined) {
    const isUntested = check.needs.some((id) => environment.results.get(id)?.isUntested);
    return {
      ...notRun(check, missing, startedAt),
      lacksNeed: true,
      ...(isUntested && { isUntested }),
    };
  }
  const count = usersOf(check, environment);
  const codes = environment.users.forCheck(check.id, count);
  if (codes === undefined) return notRun(check, tooFewCodes(count, environment.users), startedAt);
  const context = new Sender(check, codes, environment);
  const verdict = await verdictOf(check, context, environment);
  const durationMs = environment.now() - startedAt;
  return { check, startedAt, durationMs, exchanges: context.sent, ...verdict };
}

function notRun(check: Check, reason: string, now: number): CheckResult {
  return { check, startedAt: now, durationMs: 0, exchanges: [], ...skipped(reason) };
}

async function verdictOf(
  check: Check,
  context: CheckContext,
  environment: CheckEnvironment,
): Promise<Verdict> {
  try {
    return passed((await check.run(context)) as Passed | undefined);
  } catch (error) {
    if (error instanceof CheckSkipped) return skipped(error.message, error.isUntested);
    if (error instanceof CheckFailed) return failed(check, error, environment);
    if (environment.signal?.aborted) return skipped('The run was interrupted.');
    throw error;
  }
}

function passed(said: Passed | undefined): Verdict {
  return { status: 'passed', notes: said?.notes ?? [], provides: said?.provides };
}

function failed(
  check: Check,
  { fault }: CheckFailed,
  { strict, record }: CheckEnvironment,
): Verdict {
  if (fault.diagnosis !== undefined) record.reported.add(fault.diagnosis.code);
  const status = check.level === 'must' || strict ? 'failed' : 'warned';
  return { status, fault, notes: [], provides: fault.provides };
}

function skipped(reason: string, isUntested = false): Verdict {
  return { status: 'skipped', reason, notes: [], ...(isUntested && { isUntested }) };
}

/** Given user codes limit how many users sign up at the same time. */
function usersOf(
  { users = 1, fewerWillDo = false }: Check,
  { concurrentUsers, users: { limit } }: CheckEnvironment,
): number {
  if (users !== 'concurrent') return fewerWillDo ? Math.min(users, limit ?? users) : users;
  return Math.max(2, Math.min(concurrentUsers, limit ?? concurrentUsers));
}

function tooFewCodes(count: number, { limit = 0 }: TestUsers): string {
  const given = limit === 1 ? 'one user code was' : `${limit} user codes were`;
  return `It signs up ${count} users, and only ${given} given.`;
}
