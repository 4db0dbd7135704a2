import { encodeHex, type RandomBytes } from '../bytes.ts';
import { hasResponse, type Transport } from '../client/exchange.ts';
import type { generateKeyPair } from '../client/key-pair.ts';
import { formatCipher } from '../crypto/cipher.ts';
import { dayOf, judgeBaseline } from './baseline.ts';
import { type Check, CheckFailed, CheckSkipped, type Fault, type Passed, stages } from './check.ts';
import type { CheckContext, RunEnvironment } from './context.ts';
import type { KnownFailure } from './document.ts';
import { type CheckResult, RunRecord, type RunResult } from './result.ts';
import { missingNeed, planOf, providerOf } from './selection.ts';
import { createContext } from './sender.ts';
import { createKeyPairs, givenUsers, inventCodes } from './test-data.ts';
import { waitingTransport } from './waiting.ts';

export interface RunOptions
  extends Omit<
    RunEnvironment,
    'keyPairs' | 'users' | 'now' | 'record' | 'results' | 'seed' | 'concurrentUsers' | 'explain'
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
  /** Nothing more is said of a failure by default. */
  readonly explain?: RunEnvironment['explain'];
  readonly bail: boolean;
  /** How long the first request is repeated until it is handled; not at all by default. */
  readonly waitMs?: number | undefined;
  /** These don't bail. */
  readonly knownFailures: readonly KnownFailure[];
}

/** The clock, randomness and key pairs of a run. */
interface RunTools extends Pick<RunEnvironment, 'now'> {
  readonly randomBytes: RandomBytes;
  readonly generateKeyPair: typeof generateKeyPair;
}

const checksInParallel = 6;
/** Those that share nothing: the sign-ins, of which as many are made at once as the machine can bear. */
const independentInParallel = 12;

/** Nothing runs in parallel unless these show that concurrent requests don't mix up users. */
const showIndependence = ['registration/key-of-that-user', 'protocol/concurrent-signups'];

/** A run that has not begun, and its result, which can be read before its end. */
export function createRun(options: RunOptions, tools: RunTools) {
  const { userCodes, concurrentUsers = 0, signal, emit, bail, knownFailures } = options;
  const { seed = encodeHex(tools.randomBytes(4)), explain = (failed) => failed } = options;
  const { now } = tools;
  const { selected, controls } = planOf(options.selected, options.catalogue);
  const results = new Map<string, CheckResult>();
  const begun = new Map<string, Promise<void>>();
  let [startedAt, requests] = [now(), 0];
  let stopped: string | undefined;
  const transport = waitingTransport(options, () => {
    startedAt = now();
  });
  const counted: Transport = {
    send: (...sent) => {
      requests += 1;
      return transport.send(...sent);
    },
    close: () => transport.close(),
  };
  const environment: RunEnvironment = {
    ...options,
    transport: counted,
    concurrentUsers,
    seed,
    explain,
    now,
    keyPairs: createKeyPairs(tools.generateKeyPair),
    users: userCodes ? givenUsers(userCodes) : { forCheck: (...of) => inventCodes(seed, ...of) },
    record: new RunRecord(),
    results,
  };
  const isOver = () => stopped !== undefined || signal?.aborted === true;

  /** Runs everything; never rejects because of the other side. */
  const start = async (): Promise<RunResult> => {
    startedAt = now();
    emit({ type: 'run-started', checks: selected, controls });
    const planned = new Set([...selected, ...controls]);
    const inOrder = options.catalogue.filter((check) => planned.has(check));
    for (const stage of stages) {
      // Large pairs are generated while the first checks wait for responses.
      const isForLarge = selected.some(({ id }) => id === 'key-exchange/key-sizes');
      if (stage === 'right-requests' && isForLarge && !isOver())
        for (const bits of [3072, 4096] as const) void environment.keyPairs(bits);
      const checks = inOrder.filter((check) => check.stage === stage);
      const isParallel = stage === 'right-requests' || stage === 'wrong-requests';
      const workers = isParallel && mayRunInParallel(environment) ? checksInParallel : 1;
      const free = checks.filter(({ isIndependent }) => isParallel && isIndependent === true);
      const bound = checks.filter((check) => !free.includes(check));
      await work(bound, workers);
      await work(free, independentInParallel);
    }
    return result();
  };

  const work = async (checks: readonly Check[], workers: number): Promise<void> => {
    const waiting = checks.values();
    const one = async (): Promise<void> => {
      for (const check of waiting) {
        const run = runAfterNeeds(check);
        begun.set(check.id, run);
        await run;
      }
    };
    await Promise.all(Array.from({ length: workers }, one));
  };

  /** What a check needs comes before it in the catalogue, so it has been started. */
  const runAfterNeeds = async (check: Check): Promise<void> => {
    await Promise.all(check.needs.map((need) => begun.get(providerOf(need))));
    if (isOver()) return;
    emit({ type: 'check-started', check });
    const ended = await runCheck(check, environment);
    if (signal?.aborted) return;
    // The check that had to wait begins when the wait is over.
    const waitedMs = Math.max(0, startedAt - ended.startedAt);
    const durationMs = ended.durationMs - waitedMs;
    const judged = { ...ended, startedAt: ended.startedAt + waitedMs, durationMs };
    results.set(check.id, judged);
    emit({ type: 'check-ended', result: judged, isControl: controls.includes(check) });
    if (!bail || judged.status !== 'failed') return;
    const { known } = judgeBaseline([judged], knownFailures, dayOf(now()));
    if (known.size > 0) return;
    stopped = `The run ended after the first failure, ${check.id}.`;
  };

  const resultOf = (check: Check): CheckResult => {
    const reason = stopped ?? 'The run was interrupted before this check had ended.';
    return results.get(check.id) ?? notRun(check, reason, now());
  };

  /** The results so far; checks that have not ended are skipped, with the reason. */
  const result = (): RunResult => {
    const { url, clientId, cipher, strict, record } = environment;
    const exchanges = record.all.sort((a, b) => a.exchange.startedAt - b.exchange.startedAt);
    const isReached = exchanges.some(({ exchange }) => hasResponse(exchange));
    const [first] = isReached ? [] : exchanges;
    const failure = first?.exchange.failure;
    return {
      url,
      clientId,
      cipher: formatCipher(cipher),
      seed,
      strict,
      startedAt,
      durationMs: now() - startedAt,
      checks: selected.map(resultOf),
      controls: controls.map(resultOf),
      exchanges,
      requests,
      users: [...record.users],
      unreachable: first && failure && explain(failure, first, cipher),
      interrupted: signal?.aborted ?? false,
    };
  };

  return { start, result };
}

function mayRunInParallel({ users, results }: RunEnvironment): boolean {
  const isShown = showIndependence.every((id) => results.get(id)?.status === 'passed');
  return users.limit === undefined && isShown;
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
    const given = users.limit === 1 ? 'one user code was' : `${users.limit} user codes were`;
    const reason = `It signs up ${count} users, and only ${given} given.`;
    return { ...unjudged(reason), status: untestedStatus(check, environment) };
  }
  const context = createContext(check, codes, environment);
  const verdict = await verdictOf(check, context);
  const fault = verdict.fault && (await settled(verdict.fault, context));
  const durationMs = now() - startedAt;
  return { check, startedAt, durationMs, exchanges: context.sent, notes: [], ...verdict, fault };
}

/** The fault with what the application's log says of it, or of more users. */
async function settled(fault: Fault, context: CheckContext): Promise<Fault> {
  const { ofSomeUsers } = await import('./refusal.ts');
  const call = context.record.all.find(({ exchange }) => exchange === fault.evidence);
  if (fault.diagnosis === undefined || call === undefined) return ofSomeUsers(fault, context);
  const { explain, cipher } = context.environment;
  const diagnosis = explain(fault.diagnosis, call, cipher);
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
): Promise<Pick<CheckResult, 'status'> & Partial<CheckResult>> {
  const { strict, record, signal } = context.environment;
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
