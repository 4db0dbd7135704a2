import { encodeHex, type RandomBytes } from '../bytes.ts';
import { hasResponse } from '../client/exchange.ts';
import type { generateKeyPair } from '../client/key-pair.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { dayOf, judgeBaseline, type KnownFailure } from './baseline.ts';
import {
  type Check,
  CheckFailed,
  CheckSkipped,
  type Fault,
  type Passed,
  type Stage,
  stages,
} from './check.ts';
import { type CheckContext, explained, type RunEnvironment, type TestUsers } from './context.ts';
import { type CheckResult, RunRecord, type RunResult } from './result.ts';
import { missingNeed, planOf, providerOf } from './selection.ts';
import { Sender } from './sender.ts';
import { createKeyPairs, givenUsers, inventUsers } from './test-data.ts';
import { waitingTransport } from './waiting.ts';

/** The clock, randomness and key pairs of a run. */
export interface RunTools {
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly generateKeyPair: typeof generateKeyPair;
}

export interface RunOptions
  extends Pick<
    RunEnvironment,
    | 'transport'
    | 'url'
    | 'clientId'
    | 'cipher'
    | 'insecure'
    | 'emit'
    | 'explain'
    | 'strict'
    | 'signal'
  > {
  readonly catalogue: readonly Check[];
  /** The checks to run; the controls that they need are added. */
  readonly selected: readonly Check[];
  /** A new one by default. */
  readonly seed?: string | undefined;
  /** Users who may sign up; invented by default. */
  readonly userCodes?: readonly string[] | undefined;
  /** How many users sign up at the same time; as few as possible by default. */
  readonly concurrentUsers?: number;
  readonly bail: boolean;
  /** How long the first request is repeated until it is handled; not at all by default. */
  readonly waitMs?: number | undefined;
  /** These don't bail. */
  readonly knownFailures: readonly KnownFailure[];
}

const checksInParallel = 6;
/** Those that share nothing: the sign-ins, of which as many are made at once as the machine can bear. */
const independentInParallel = 12;

/** Nothing runs in parallel unless these show that concurrent requests don't mix up users. */
const showIndependence = ['registration/key-of-that-user', 'protocol/concurrent-signups'];

export class Run {
  readonly #options: RunOptions;
  readonly #environment: RunEnvironment;
  readonly #results = new Map<string, CheckResult>();
  readonly #begun = new Map<string, Promise<void>>();
  #startedAt: number;
  readonly #selected: readonly Check[];
  readonly #controls: readonly Check[];
  #stopped: string | undefined;
  #requests = 0;

  constructor(options: RunOptions, { now, randomBytes, generateKeyPair }: RunTools) {
    const { userCodes, concurrentUsers = 0, waitMs, signal, emit } = options;
    const transport = waitingTransport(options.transport, {
      waitMs,
      signal,
      onWait: (leftMs, status) => emit({ type: 'waiting', leftMs, status }),
      onAgain: () => {
        this.#startedAt = now();
      },
    });
    const seed = options.seed ?? encodeHex(randomBytes(4));
    this.#options = options;
    this.#environment = {
      ...options,
      transport: {
        send: (...sent) => {
          this.#requests += 1;
          return transport.send(...sent);
        },
        close: () => transport.close(),
      },
      concurrentUsers,
      seed,
      now,
      keyPairs: createKeyPairs(generateKeyPair),
      users: userCodes === undefined ? inventUsers(seed) : givenUsers(userCodes),
      record: new RunRecord(),
      results: this.#results,
    };
    this.#startedAt = now();
    const { selected, controls } = planOf(options.selected, options.catalogue);
    this.#selected = selected;
    this.#controls = controls;
  }

  /** Runs everything; never rejects because of the other side. */
  async start(): Promise<RunResult> {
    const { catalogue } = this.#options;
    const { emit, keyPairs, now } = this.#environment;
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
    const { url, clientId, cipher, seed, strict, now, signal, record } = this.#environment;
    const exchanges = record.all.sort((a, b) => a.exchange.startedAt - b.exchange.startedAt);
    const isReached = exchanges.some(({ exchange }) => hasResponse(exchange));
    const [first] = isReached ? [] : exchanges;
    const { failure } = first?.exchange ?? {};
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
      requests: this.#requests,
      users: [...record.users],
      unreachable: first && failure && explained(failure, first, this.#environment),
      interrupted: signal?.aborted ?? false,
    };
  }

  #resultOf(check: Check): CheckResult {
    const reason = this.#stopped ?? 'The run was interrupted before this check had ended.';
    return this.#results.get(check.id) ?? notRun(check, reason, this.#environment.now());
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
    const { users, results } = this.#environment;
    return (
      users.limit === undefined &&
      showIndependence.every((id) => results.get(id)?.status === 'passed')
    );
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
    const result = this.#withoutWait(await runCheck(check, this.#environment));
    if (this.#options.signal?.aborted) return;
    this.#results.set(check.id, result);
    emit({ type: 'check-ended', result, isControl: this.#controls.includes(check) });
    this.#bailAfter(result);
  }

  /** The check that had to wait begins when the wait is over. */
  #withoutWait(result: CheckResult): CheckResult {
    const waitedMs = this.#startedAt - result.startedAt;
    if (waitedMs <= 0) return result;
    return { ...result, startedAt: this.#startedAt, durationMs: result.durationMs - waitedMs };
  }

  #isOver(): boolean {
    return this.#stopped !== undefined || this.#options.signal?.aborted === true;
  }

  #bailAfter(result: CheckResult): void {
    const { bail, knownFailures } = this.#options;
    if (!bail || result.status !== 'failed') return;
    const { known } = judgeBaseline([result], knownFailures, dayOf(this.#environment.now()));
    if (known.size > 0) return;
    this.#stopped = `The run ended after the first failure, ${result.check.id}.`;
  }
}

/** Rejects only for a mistake in the check. */
async function runCheck(check: Check, environment: RunEnvironment): Promise<CheckResult> {
  const { now, results, users } = environment;
  const startedAt = now();
  const unjudged = (reason: string) => notRun(check, reason, startedAt);
  const missing = missingNeed(check, results);
  if (missing !== undefined) {
    const { reason, lacks, isExplained } = missing;
    const status = isExplained ? 'skipped' : untestedStatus(check, environment);
    return { ...unjudged(reason), lacks, status };
  }
  const count = usersOf(check, environment);
  const codes = users.forCheck(check.id, count);
  if (codes === undefined) {
    return { ...unjudged(tooFewCodes(count, users)), status: untestedStatus(check, environment) };
  }
  const context = new Sender(check, codes, environment);
  const verdict = await verdictOf(check, context, environment);
  const fault = verdict.fault && (await settled(verdict.fault, context));
  const durationMs = now() - startedAt;
  return { check, startedAt, durationMs, exchanges: context.sent, notes: [], ...verdict, fault };
}

/** The fault with what the application's log says of it, or of more users. */
async function settled(fault: Fault, context: Sender): Promise<Fault> {
  const { ofSomeUsers } = await import('./refusal.ts');
  const call = context.record.all.find(({ exchange }) => exchange === fault.evidence);
  if (fault.diagnosis === undefined || call === undefined) return ofSomeUsers(fault, context);
  const diagnosis = explained(fault.diagnosis, call, context.environment);
  const isNew = diagnosis !== fault.diagnosis;
  return ofSomeUsers(isNew ? { ...fault, diagnosis, fix: diagnosis.hint } : fault, context);
}

function notRun(check: Check, reason: string, startedAt: number): CheckResult {
  const nothing = { durationMs: 0, exchanges: [], notes: [] };
  return { check, startedAt, status: 'skipped', reason, ...nothing };
}

function untestedStatus({ level }: Check, { strict }: Pick<RunEnvironment, 'strict'>) {
  return level === 'must' || strict ? 'incomplete' : 'skipped';
}

async function verdictOf(
  check: Check,
  context: CheckContext,
  { strict, record, signal }: RunEnvironment,
): Promise<Pick<CheckResult, 'status'> & Partial<CheckResult>> {
  try {
    return { status: 'passed', ...((await check.run(context)) as Passed | undefined) };
  } catch (error) {
    if (error instanceof CheckSkipped) {
      const status = error.isUntested ? untestedStatus(check, { strict }) : 'skipped';
      return { status, reason: error.message };
    }
    if (error instanceof CheckFailed) {
      const { fault } = error;
      if (fault.diagnosis !== undefined) record.reported.add(fault.diagnosis.code);
      const status = check.level === 'must' || strict ? 'failed' : 'warned';
      return { status, fault, provides: fault.provides };
    }
    if (signal?.aborted) return { status: 'skipped', reason: 'The run was interrupted.' };
    throw error;
  }
}

/** Given user codes limit how many users sign up at the same time. */
function usersOf(
  { users = 1, fewerWillDo = false }: Check,
  { concurrentUsers, users: { limit } }: RunEnvironment,
): number {
  if (users !== 'concurrent') return fewerWillDo ? Math.min(users, limit ?? users) : users;
  return Math.max(2, Math.min(concurrentUsers, limit ?? concurrentUsers));
}

function tooFewCodes(count: number, { limit = 0 }: TestUsers): string {
  const given = limit === 1 ? 'one user code was' : `${limit} user codes were`;
  return `It signs up ${count} users, and only ${given} given.`;
}
