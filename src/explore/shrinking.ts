import fc from 'fast-check';
import type { Dice } from './draw.ts';
import {
  diagnoseSometimesDecrypted,
  type Execute,
  type Executed,
  type Execution,
} from './execute.ts';
import type { ExploreFailure, ExploreOptions } from './explore.ts';
import { diagnoseKeptConnection, diagnoseLostKey } from './lost-key.ts';
import {
  countSteps,
  hasConcurrency,
  namesOther,
  onNewConnections,
  type Sequence,
  type Step,
  withoutIdleUsers,
} from './sequence.ts';

interface ShrinkingOptions extends Pick<ExploreOptions, 'now' | 'shrinkMs' | 'signal'> {
  /** A plain sign-up, if it may be sent. */
  readonly control: Sequence | undefined;
  readonly execute: Execute;
  readonly onFound: (failure: ExploreFailure) => void;
}

/** What becomes of a sequence that failed: one that fails by itself, with the fewest steps, repeated. */
export class Shrinking {
  readonly #options: ShrinkingOptions;

  constructor(options: ShrinkingOptions) {
    this.#options = options;
  }

  /** Shrinks what failed, unless it `isGiven`; `onFound` gets it first as it is. */
  async failureOf(
    drawn: Sequence,
    execution: Execution,
    isGiven: boolean,
  ): Promise<ExploreFailure> {
    const first = { sequence: withoutIdleUsers(sentPart(drawn, execution)), execution };
    const foundAfter = countSteps(first.sequence);
    this.#options.onFound(toFailure(first, never, { foundAfter, brokenSince: false }));
    if (isGiven) return this.#confirmed(first, first, foundAfter);
    const brokenSince = foundAfter > 2 && (await this.#isBroken());
    if (brokenSince) return toFailure(first, never, { foundAfter, brokenSince });
    return this.#confirmed(first, await this.#shrink(first, 1), foundAfter);
  }

  /** Repeats the `least` that was found; where it fails now and then, perhaps a longer one fails always. */
  async #confirmed(found: Executed, least: Executed, foundAfter: number): Promise<ExploreFailure> {
    const facts = { foundAfter, brokenSince: false };
    const repeated = await this.#repeat(least);
    if (repeated.failed === repeated.of) {
      return this.#diagnosed(toFailure(repeated, repeated, facts));
    }
    const steady = await this.#shrink(found, confirmations + 1);
    const again = steady === found ? repeated : await this.#repeat(steady);
    if (again.failed === again.of) return this.#diagnosed(toFailure(again, again, facts));
    return toFailure(repeated, repeated, facts);
  }

  async #diagnosed(found: ExploreFailure): Promise<ExploreFailure> {
    const onKeptConnectionOnly = await this.#passesOnNewConnections(found.sequence);
    const failure = { ...found, onKeptConnectionOnly };
    const diagnosis =
      diagnoseSometimesDecrypted(failure.execution) ??
      (await diagnoseLostKey(failure, this.#options.execute)) ??
      diagnoseKeptConnection(failure);
    if (diagnosis === undefined) return failure;
    const { execution } = failure;
    const violation = { ...execution.violation, diagnosis };
    return { ...failure, execution: { ...execution, violation } };
  }

  /** What fails each time passes twice with a new connection for each step: it is the connection that matters. */
  async #passesOnNewConnections(sequence: Sequence): Promise<boolean> {
    const isOne = countSteps(sequence) < 2;
    if (isOne || hasConcurrency(sequence) || this.#options.signal?.aborted) return false;
    const once = async () => {
      const { violation, sent, isLimited } = await this.#options.execute(
        onNewConnections(sequence),
      );
      return violation === undefined && !isLimited && sent.length === countSteps(sequence);
    };
    return (await once()) && (await once());
  }

  /** The control fails too, twice: whatever is left out, the next attempt would fail as well. */
  async #isBroken(): Promise<boolean> {
    const { control } = this.#options;
    if (control === undefined) return false;
    const once = async () => (await this.#options.execute(control)).violation !== undefined;
    return (await once()) && (await once());
  }

  /** The smallest sequence that fails `times` times in a row. */
  async #shrink(found: Executed, times: number): Promise<Executed> {
    const { now, shrinkMs = defaultShrinkMs, signal } = this.#options;
    const end = now() + shrinkMs;
    let best = found;
    const fails = async (sequence: Sequence): Promise<boolean> => {
      if (now() > end || signal?.aborted) return false;
      const failing = await this.#fails(sequence, times);
      if (failing !== undefined && countSteps(failing.sequence) <= countSteps(best.sequence)) {
        best = failing;
      }
      return failing !== undefined;
    };
    await shrink(found.sequence, fails);
    return best;
  }

  /** Races are tried more often, as long as one failure is enough. */
  async #fails(sequence: Sequence, times: number): Promise<Executed | undefined> {
    const tries = times === 1 && hasConcurrency(sequence) ? triesAtRaces : times;
    let failing: Executed | undefined;
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const execution = await this.#options.execute(sequence);
      if (execution.violation === undefined) {
        if (times > 1) return undefined;
        continue;
      }
      failing = { sequence: withoutIdleUsers(sentPart(sequence, execution)), execution };
      if (times === 1) return failing;
    }
    return failing;
  }

  /** Twice more; once it passes, often enough for a rate. */
  async #repeat(found: Executed): Promise<Executed & ExploreFailure['repeated']> {
    let failed = 0;
    let { execution } = found;
    for (let of = 1; ; of += 1) {
      const repeated = await this.#options.execute(found.sequence);
      if (repeated.violation !== undefined) {
        failed += 1;
        execution = repeated;
      }
      const enough = failed === of ? confirmations : repetitions;
      if (of >= enough || this.#options.signal?.aborted) return { ...found, execution, failed, of };
    }
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
const defaultShrinkMs = 30_000;
const confirmations = 2;
/** How often a sequence is repeated for a rate, and a race is replayed. */
export const repetitions = 10;
const triesAtRaces = 3;

/** What was sent of a sequence, up to its violation, with all its users. */
function sentPart({ users }: Sequence, { sent }: Execution): Sequence {
  const rounds = new Map<number, Sequence['rounds'][number]>();
  for (const { round, step } of sent) rounds.set(round, [...(rounds.get(round) ?? []), step]);
  return { users, rounds: [...rounds.values()] };
}

/** Sequences for fast-check: drawn, and shrunk to fewer and simpler steps. */
class SequenceArbitrary extends fc.Arbitrary<Sequence> {
  readonly #draw: (dice: Dice) => Sequence;

  constructor(draw: (dice: Dice) => Sequence) {
    super();
    this.#draw = draw;
  }

  override generate(random: fc.Random): fc.Value<Sequence> {
    const dice: Dice = {
      between: (min, max) => random.nextInt(min, Math.max(min, max)),
      chance: (probability) => random.nextDouble() < probability,
    };
    return new fc.Value(this.#draw(dice), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Sequence {
    return typeof value === 'object' && value !== null && 'rounds' in value;
  }

  override shrink(value: Sequence): fc.Stream<fc.Value<Sequence>> {
    return fc.stream(simpler(value)).map((each) => new fc.Value(each, undefined));
  }
}

export function sequences(draw: (dice: Dice) => Sequence): fc.Arbitrary<Sequence> {
  return new SequenceArbitrary(draw);
}

/** The sequence of a number; it depends on the seed and on those drawn before, whose coverage steers it. */
export function drawOne(arbitrary: fc.Arbitrary<Sequence>, seed: number, index: number): Sequence {
  const [drawn] = fc.sample(arbitrary, {
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
  for (const ending of endingsOf(failing)) {
    if (!(await fails(ending))) continue;
    start = ending;
    break;
  }
  // What was tried is not tried again: a simpler form that leads back to an earlier one would never end.
  const tried = new Set<string>();
  const property = fc.asyncProperty(
    sequences(() => failing),
    async (sequence) => {
      if (sequence === start) return false;
      const text = JSON.stringify(sequence);
      if (tried.has(text)) return true;
      tried.add(text);
      return !(await fails(sequence));
    },
  );
  const { counterexample } = await fc.check(property, { examples: [[start]], numRuns: 1 });
  return counterexample?.[0] ?? start;
}

/** The last two rounds, the last four, and so on: of a long sequence, most failures need little more. */
function* endingsOf({ users, rounds }: Sequence): Generator<Sequence> {
  for (let count = 2; count < rounds.length; count *= 2) {
    yield withoutIdleUsers({ users, rounds: rounds.slice(-count) });
  }
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
  const { rounds } = sequence;
  const count = rounds.reduce((sum, round) => sum + round.length, 0);
  const areFew = count <= 14;
  for (let size = count >> 1; size >= 1; size = areFew ? size - 1 : size >> 1) {
    for (let from = 0; from < count; from += areFew ? 1 : size) {
      yield keep(sequence, (index) => index < from || index >= from + size);
    }
  }
  for (const [first, second] of pairsUpTo(count, 40)) {
    yield keep(sequence, (index) => index !== first && index !== second);
  }
}

function* pairsUpTo(count: number, most: number): Generator<readonly [number, number]> {
  if (count > most) return;
  for (let first = 0; first < count; first += 1) {
    for (let second = first + 2; second < count; second += 1) yield [first, second];
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
      for (const simple of [...withoutFresh(step), ...simplerSteps(step)]) {
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

function* withoutFresh({ fresh, ...step }: Step): Generator<Step> {
  if (fresh) yield step;
}

function* simplerSteps(step: Step): Generator<Step> {
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
