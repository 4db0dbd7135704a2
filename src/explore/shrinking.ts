import {
  Arbitrary,
  asyncProperty,
  check,
  type Random,
  type Stream,
  sample,
  stream,
  Value,
} from 'fast-check';
import { isAccepted } from '../conformance/expect.ts';
import { diagnose } from '../diagnosis/catalogue.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { Diagnosis } from '../errors.ts';
import { capitalised, grouped } from '../text.ts';
import type { Dice } from './draw.ts';
import {
  diagnoseSometimesDecrypted,
  type Execute,
  type Executed,
  type Execution,
  isWronglyRefused,
  type SentStep,
} from './execute.ts';
import {
  countSteps,
  hasConcurrency,
  namesOther,
  onlySteps,
  onNewConnections,
  type Sequence,
  type Step,
  withoutIdleUsers,
} from './sequence.ts';

/** A failure with the fewest steps that were found to show it. */
export interface ExploreFailure {
  readonly sequence: Sequence;
  /** As it went the last time it failed; its `violation` is set. */
  readonly execution: Execution & Required<Pick<Execution, 'violation'>>;
  /** How many steps the sequence had that failed first. */
  readonly foundAfter: number;
  /** How often the shrunk sequence failed when it was repeated; always, if it isn't flaky. */
  readonly repeated: { readonly failed: number; readonly of: number };
  readonly flaky: boolean;
  /** The endpoint fails at everything since then, so the sequence could not be shrunk. */
  readonly brokenSince: boolean;
  /** With a new connection for each step, it passed. */
  readonly onKeptConnectionOnly: boolean;
}

interface ShrinkingOptions {
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
  /** A plain sign-up, if it may be sent. */
  readonly control: Sequence | undefined;
  readonly execute: Execute;
  readonly onFound: (failure: ExploreFailure) => void;
}

/**
 * What becomes of a sequence that failed: one that fails by itself, with the fewest steps unless it `isGiven`,
 * repeated; `onFound` gets it first as it is.
 */
export async function failureOf(
  drawn: Sequence,
  execution: Execution,
  isGiven: boolean,
  options: ShrinkingOptions,
): Promise<ExploreFailure> {
  const first = { sequence: sentPart(drawn, execution), execution };
  const foundAfter = countSteps(first.sequence);
  const facts = { foundAfter, brokenSince: false };
  options.onFound(toFailure(first, never, facts));
  // The control fails too, twice: whatever is left out, the next attempt would fail as well.
  const { control, execute } = options;
  const isBroken = async () =>
    control !== undefined && (await execute(control)).violation !== undefined;
  if (!isGiven && foundAfter > 2 && (await isBroken()) && (await isBroken())) {
    return toFailure(first, never, { foundAfter, brokenSince: true });
  }
  const repeated = await repeat(isGiven ? first : await shrinkFailing(first, 1, options), options);
  if (repeated.failed === repeated.of) {
    return diagnosed(toFailure(repeated, repeated, facts), options);
  }
  // Where it fails now and then, perhaps a longer one fails always.
  const steady = await shrinkFailing(first, confirmations + 1, options);
  const again = steady === first ? repeated : await repeat(steady, options);
  if (again.failed === again.of) return diagnosed(toFailure(again, again, facts), options);
  return toFailure(repeated, repeated, facts);
}

async function diagnosed(
  found: ExploreFailure,
  { execute, signal }: ShrinkingOptions,
): Promise<ExploreFailure> {
  const { sequence } = found;
  /** What fails each time passes twice with a new connection for each step: it is the connection that matters. */
  const passes = async () => {
    const { violation, sent, isLimited } = await execute(onNewConnections(sequence));
    return violation === undefined && !isLimited && sent.length === countSteps(sequence);
  };
  const mayPass = countSteps(sequence) > 1 && !hasConcurrency(sequence) && !signal?.aborted;
  const onKeptConnectionOnly = mayPass && (await passes()) && (await passes());
  const failure = { ...found, onKeptConnectionOnly };
  const cause =
    diagnoseSometimesDecrypted(failure.execution) ??
    (await diagnoseLostKey(failure, execute)) ??
    (onKeptConnectionOnly ? diagnoseKeptConnection(failure) : undefined);
  if (cause === undefined) return failure;
  const { execution } = failure;
  const violation = { ...execution.violation, diagnosis: cause };
  return { ...failure, execution: { ...execution, violation } };
}

/** The smallest sequence that fails `times` times in a row. */
async function shrinkFailing(
  found: Executed,
  times: number,
  { execute, now, signal }: ShrinkingOptions,
): Promise<Executed> {
  const end = now() + shrinkMs;
  let best = found;
  await shrink(found.sequence, async (sequence) => {
    if (now() > end || signal?.aborted) return false;
    // Races are tried more often, as long as one failure is enough.
    const tries = times === 1 && hasConcurrency(sequence) ? triesAtRaces : times;
    let failing: Executed | undefined;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const execution = await execute(sequence);
      if (execution.violation !== undefined) {
        failing = { sequence: sentPart(sequence, execution), execution };
        if (times === 1) break;
      } else if (times > 1) return false;
    }
    if (failing !== undefined && countSteps(failing.sequence) <= countSteps(best.sequence)) {
      best = failing;
    }
    return failing !== undefined;
  });
  return best;
}

/** Twice more; once it passes, often enough for a rate. */
async function repeat(
  found: Executed,
  { execute, signal }: ShrinkingOptions,
): Promise<Executed & ExploreFailure['repeated']> {
  let failed = 0;
  let { execution } = found;
  for (let of = 1; ; of += 1) {
    const repeated = await execute(found.sequence);
    if (repeated.violation !== undefined) {
      failed += 1;
      execution = repeated;
    }
    const enough = failed === of ? confirmations : repetitions;
    if (of >= enough || signal?.aborted) return { ...found, execution, failed, of };
  }
}

function toFailure(
  { sequence, execution }: Executed,
  { failed, of }: ExploreFailure['repeated'],
  facts: Pick<ExploreFailure, 'foundAfter' | 'brokenSince'>,
): ExploreFailure {
  const { violation } = execution;
  if (violation === undefined) throw new TypeError('a failure has a violation');
  const flaky = failed < of;
  return {
    sequence,
    execution: { ...execution, violation },
    repeated: { failed, of },
    flaky,
    onKeptConnectionOnly: false,
    ...facts,
  };
}

const never = { failed: 0, of: 0 };
/** How long a failure is shrunk. */
const shrinkMs = 30_000;
const confirmations = 2;
/** How often a sequence is repeated for a rate, and a race is replayed. */
export const repetitions = 10;
const triesAtRaces = 3;

/** What was sent of a sequence, up to its violation. */
function sentPart({ users }: Sequence, { sent }: Execution): Sequence {
  const rounds = [...grouped(sent, ({ round }) => round).values()];
  const steps = rounds.map((round) => round.map(({ step }) => step));
  return withoutIdleUsers({ users, rounds: steps });
}

/** Sequences for fast-check: drawn, and shrunk to fewer and simpler steps. */
export class SequenceArbitrary extends Arbitrary<Sequence> {
  readonly #draw: (dice: Dice) => Sequence;

  constructor(draw: (dice: Dice) => Sequence) {
    super();
    this.#draw = draw;
  }

  override generate(random: Random): Value<Sequence> {
    const dice: Dice = {
      between: (min, max) => random.nextInt(min, Math.max(min, max)),
      chance: (probability) => random.nextDouble() < probability,
    };
    return new Value(this.#draw(dice), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Sequence {
    return typeof value === 'object' && value !== null && 'rounds' in value;
  }

  override shrink(value: Sequence): Stream<Value<Sequence>> {
    return stream(simpler(value)).map((each) => new Value(each, undefined));
  }
}

/** The sequence of a number; it depends on the seed and on those drawn before, whose coverage steers it. */
export function drawOne(arbitrary: Arbitrary<Sequence>, seed: number, index: number): Sequence {
  const [drawn] = sample(arbitrary, {
    seed: (seed + Math.imul(index, 0x9e3779b1)) | 0,
    numRuns: 1,
  });
  if (drawn === undefined) throw new TypeError('fast-check draws what it was asked for');
  return drawn;
}

/** The smallest failing sequence that fast-check finds; `fails` runs one, and says whether it still fails. */
export async function shrink(
  failing: Sequence,
  fails: (sequence: Sequence) => Promise<boolean>,
): Promise<Sequence> {
  let start = failing;
  const { users, rounds } = failing;
  // The last two rounds, the last four, and so on: of a long sequence, most failures need little more.
  for (let count = 2; count < rounds.length && start === failing; count *= 2) {
    const ending = withoutIdleUsers({ users, rounds: rounds.slice(-count) });
    if (await fails(ending)) start = ending;
  }
  // What was tried is not tried again: a simpler form that leads back to an earlier one would never end.
  const tried = new Set<string>();
  const property = asyncProperty(new SequenceArbitrary(() => failing), async (sequence) => {
    if (sequence === start) return false;
    const text = JSON.stringify(sequence);
    if (tried.has(text)) return true;
    tried.add(text);
    return !(await fails(sequence));
  });
  const { counterexample } = await check(property, { examples: [[start]], numRuns: 1 });
  return counterexample?.[0] ?? start;
}

/** Simpler sequences, those first that leave out most. */
function* simpler(sequence: Sequence): Generator<Sequence> {
  yield* apart(sequence);
  yield* ofFewUsers(sequence);
  yield* shorter(sequence);
  yield* partlyApart(sequence);
  yield* plainer(sequence);
}

/** Only the user who failed, those of the same round, or those of nearly the same code; then each of a few users is left out. */
function* ofFewUsers(sequence: Sequence): Generator<Sequence> {
  const { users, rounds } = sequence;
  const last = rounds.at(-1)?.at(-1)?.user ?? 0;
  const together = new Set(rounds.at(-1)?.map(({ user }) => user));
  const isNear = (user: number) => users[user]?.family === users[last]?.family;
  const others = users.length <= fewUsers ? users.keys() : [];
  for (const isKept of [
    (user: number) => user === last,
    (user: number) => together.has(user),
    isNear,
    ...[...others].map((left) => (user: number) => user !== left),
  ]) {
    if ([...users.keys()].every(isKept)) continue;
    const kept = rounds.map((round) => round.filter(({ user }) => isKept(user)));
    yield withoutIdleUsers({ users, rounds: kept.filter((round) => round.length > 0) });
  }
}

/** Halves, quarters, … of the steps are left out, down to single ones; of few steps, all that lie together. */
function* shorter(sequence: Sequence): Generator<Sequence> {
  const count = countSteps(sequence);
  const areFew = count <= 14;
  for (let size = count >> 1; size >= 1; size = areFew ? size - 1 : size >> 1) {
    for (let from = 0; from < count; from += areFew ? 1 : size) {
      yield keep(sequence, (index) => index < from || index >= from + size);
    }
  }
  for (let first = 0; first < count && count <= 40; first += 1) {
    for (let second = first + 2; second < count; second += 1) {
      yield keep(sequence, (index) => index !== first && index !== second);
    }
  }
}

function keep({ users, rounds }: Sequence, isKept: (index: number) => boolean): Sequence {
  let index = -1;
  const kept = rounds.map((round) =>
    round.filter(() => {
      index += 1;
      return isKept(index);
    }),
  );
  return withoutIdleUsers({ users, rounds: kept.filter((round) => round.length > 0) });
}

/**
 * All steps are sent one after another: without races, further attempts show more, and each only once. What was sent at the
 * same time as another is also tried on a connection of its own, as it was then: all but the first of each round, or of the first
 * one alone; not at the end, where the kept one may matter.
 */
function* apart({ users, rounds }: Sequence): Generator<Sequence> {
  if (rounds.every((round) => round.length === 1)) return;
  yield { users, rounds: rounds.flatMap((round) => round.map((step) => [step])) };
  const late = rounds.flatMap((round) => {
    const steps = round.map((step) => afterRound(step, round));
    const isChanged = (step: Step): boolean => !round.includes(step);
    return [...steps.filter((step) => !isChanged(step)), ...steps.filter(isChanged)];
  });
  yield { users, rounds: late.map((step) => [step]) };
  for (const staysIn of [() => true, (at: number) => at === 0]) {
    const isolated = rounds.flatMap((round, at) =>
      round.map((step, index): Step => {
        const isAlone = round.length === 1 || at === rounds.length - 1;
        return isAlone || (index === 0 && staysIn(at)) ? step : { ...step, fresh: true };
      }),
    );
    yield { users, rounds: isolated.map((step) => [step]) };
  }
}

/** Of one round, a step is sent before or after the others, on a kept connection or one of its own. */
function* partlyApart({ users, rounds }: Sequence): Generator<Sequence> {
  for (const [at, round] of rounds.entries()) {
    if (round.length < 2) continue;
    for (const step of round) {
      const others = round.filter((each) => each !== step);
      for (const alone of [step, { ...step, fresh: true } satisfies Step]) {
        yield { users, rounds: rounds.toSpliced(at, 1, [alone], others) };
        yield { users, rounds: rounds.toSpliced(at, 1, others, [alone]) };
      }
    }
  }
}

/** The ordinary operation, the kept connection, the ordinary code, the latest key, one user less. */
function* plainer(sequence: Sequence): Generator<Sequence> {
  const { users, rounds } = sequence;
  const all = rounds.flat();
  if (all.some(({ fresh }) => fresh)) {
    yield { users, rounds: rounds.map((round) => round.map(({ fresh: _, ...step }) => step)) };
  }
  for (const [user, plan] of users.entries()) {
    if (plan.variant === 'plain') continue;
    const isTaken = users.some(
      ({ family, variant }) => family === plan.family && variant === 'plain',
    );
    const family = isTaken ? Math.max(...users.map((each) => each.family)) + 1 : plan.family;
    yield { users: users.with(user, { family, variant: 'plain' }), rounds };
  }
  for (let user = 1; user < users.length && users.length <= fewUsers; user += 1) {
    for (let other = 0; other < user; other += 1) yield merged(sequence, user, other);
  }
  for (const [at, round] of rounds.entries()) {
    for (const [index, step] of round.entries()) {
      for (const simple of simplerSteps(step)) {
        yield { users, rounds: rounds.with(at, round.with(index, simple)) };
      }
    }
  }
}

/** Of more, every two are not tried as one: that would take thousands of attempts. */
const fewUsers = 8;

function merged({ users, rounds }: Sequence, user: number, other: number): Sequence {
  const rename = (step: Step): Step => ({
    ...step,
    ...(step.user === user && { user: other }),
    ...(namesOther(step) && step.detail === user && { detail: other }),
  });
  return withoutIdleUsers({ users, rounds: rounds.map((round) => round.map(rename)) });
}

function* simplerSteps(step: Step): Generator<Step> {
  const { fresh, ...kept } = step;
  if (fresh) yield kept;
  const { operation, detail, ...rest } = step;
  const [group = ''] = operation.split('/');
  const plain = group === 'key-exchange' ? 'key-exchange/valid' : 'registration/latest-key';
  if (operation !== plain) yield { ...rest, operation: plain };
  const refused = 'registration/undecryptable-partner-sp';
  if (group === 'registration' && operation !== plain && operation !== refused) {
    yield { ...rest, operation: refused };
  }
  if (operation === 'registration/earlier-key' && (detail ?? 1) > 1) yield { ...step, detail: 1 };
}

/** A registration that is built beside a key exchange has the key before it. */
function afterRound(step: Step, round: readonly Step[]): Step {
  const isBeside = round.some(
    ({ operation, user }) => user === step.user && operation.startsWith('key-exchange/'),
  );
  return isBeside && step.operation === 'registration/latest-key'
    ? { ...step, operation: 'registration/earlier-key', detail: 1 }
    : step;
}

/**
 * Why a registration at the end of a sequence is refused though the key of the latest key exchange encrypted it: the
 * sequence is sent again with another key at its end, an earlier one of the user or that of another user. What is
 * accepted then shows which key the application uses. Undefined for other failures, and where only the connection
 * matters and no other key is used.
 */
async function diagnoseLostKey(
  { sequence, execution, onKeptConnectionOnly }: ExploreFailure,
  execute: Execute,
): Promise<Diagnosis | undefined> {
  const { sent, violation } = execution;
  const [refused] = violation.steps;
  if (refused === undefined || violation.steps.length > 1 || !isRefused(refused)) return undefined;
  const { user } = refused.step;
  const exchanges = sent.flatMap(({ step, operation, outcome }, index) => {
    const hasKey = operation.id.startsWith('key-exchange/') && isAccepted(outcome);
    return hasKey ? { user: step.user, number: index + 1 } : [];
  });
  const own = exchanges.filter((exchange) => exchange.user === user);
  const latest = own.pop()?.number;
  if (latest === undefined) return undefined;
  const isAcceptedWith = async (operation: string, detail: number): Promise<boolean> => {
    const rounds = [...sequence.rounds.slice(0, -1), [{ operation, user, detail }]];
    const end = (await execute({ ...sequence, rounds })).sent.at(-1);
    const isReached = end?.round === rounds.length - 1 && end.operation.id === operation;
    return isReached && isAccepted(end.outcome);
  };
  const isAlone = sent.every((step) => step === refused || step.round !== refused.round);
  for (const [index, { number }] of isAlone ? own.reverse().entries() : []) {
    if (!(await isAcceptedWith('registration/earlier-key', index + 1))) continue;
    const message = `With the key of step ${number} the registration is accepted, with that of step ${latest} it is refused: the application uses the older key.`;
    return diagnose('stale-key', message);
  }
  const others = new Set(exchanges.map((exchange) => exchange.user));
  others.delete(user);
  for (const other of isAlone ? [...others].slice(-mostOthers) : []) {
    if (!(await isAcceptedWith('registration/other-users-key', other))) continue;
    const message = `With the key of user ${other + 1} the registration of user ${user + 1} is accepted, with its own of step ${latest} it is refused: the application uses the key of another user.`;
    return diagnose('shared-state', message);
  }
  if (onKeptConnectionOnly) return undefined;
  const andOthers =
    isAlone && exchanges.length > 1 ? ', nor does another one of this sequence' : '';
  return noKey(sequence, user, `The key of step ${latest} does not work${andOthers}`, execute);
}

/** Other users whose keys are tried, the latest. */
const mostOthers = 4;

function isRefused(step: SentStep): boolean {
  const isRegistration = step.operation.id.startsWith('registration/');
  // Where the interface leaves a choice, the application has only changed its mind.
  return isRegistration && step.expected.choice === undefined && isWronglyRefused(step);
}

/** No key that is known is used; whose callbacks affect that of the user? */
async function noKey(
  sequence: Sequence,
  user: number,
  lost: string,
  execute: Execute,
): Promise<Diagnosis> {
  const own = onlySteps(sequence, (step) => step.user === user);
  const isLess = own !== undefined && countSteps(own) < countSteps(sequence);
  if (isLess && (await execute(own)).violation === undefined) {
    const others = [...sequence.users.keys()].filter((other) => other !== user);
    const names = others.map((other) => other + 1).join(', ');
    const few = others.length === 1 ? `user ${names}` : `users ${names}`;
    const whose = others.length > mostOthers ? 'other users' : few;
    const message = `${lost}: callbacks of ${whose} affect user ${user + 1}.`;
    return diagnosis('shared-state', message, keepApart);
  }
  if (hasConcurrency(sequence)) {
    return diagnosis('shared-state', `${lost}: callbacks at the same time affect it.`, keepApart);
  }
  const message = `${lost}: the application has lost it, or uses data of an earlier request.`;
  return diagnosis('code-not-success', message, keepKeys);
}

/** What should be accepted is refused over a kept connection alone. */
function diagnoseKeptConnection({ execution }: ExploreFailure): Diagnosis | undefined {
  const [step] = execution.violation.steps;
  if (step === undefined || !isWronglyRefused(step)) return undefined;
  const message = `${capitalised(step.operation.about)} is refused over the connection of the steps before, and accepted over a new one: those steps left something there that affects it.`;
  return diagnosis('shared-state', message, keepNothing);
}

const keepNothing =
  'Keep nothing with a connection, such as a key, a user or what came of a request: find it by what each request contains.';

const keepKeys =
  'Let nothing but a key exchange that succeeds change the key of a user: not a request that is refused, and not a registration.';

const keepApart =
  'Let no callback change what another one works on: store each key under the full ptn_cd, compared exactly, not in a cache that forgets some, nor in a variable that requests share.';
