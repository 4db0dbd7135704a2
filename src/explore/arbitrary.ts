import fc from 'fast-check';
import type { Dice } from './dice.ts';
import { namesOther, type Sequence, type Step, withoutIdleUsers } from './sequence.ts';

/** How sequences of a kind are drawn, and which steps are simpler than one. */
export interface SequenceKind {
  readonly draw: (dice: Dice) => Sequence;
  readonly simplerSteps: (step: Step) => Iterable<Step>;
  /** The same request as `step`, sent after the others of its round. */
  readonly afterRound?: (step: Step, round: readonly Step[]) => Step;
}

/** Sequences for fast-check: drawn, and shrunk to fewer and simpler steps. */
class SequenceArbitrary extends fc.Arbitrary<Sequence> {
  readonly #kind: SequenceKind;

  constructor(kind: SequenceKind) {
    super();
    this.#kind = kind;
  }

  override generate(random: fc.Random): fc.Value<Sequence> {
    const dice: Dice = {
      between: (min, max) => random.nextInt(min, Math.max(min, max)),
      chance: (probability) => random.nextDouble() < probability,
    };
    return new fc.Value(this.#kind.draw(dice), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Sequence {
    return typeof value === 'object' && value !== null && 'rounds' in value;
  }

  override shrink(value: Sequence): fc.Stream<fc.Value<Sequence>> {
    return fc.stream(simpler(value, this.#kind)).map((each) => new fc.Value(each, undefined));
  }
}

export function sequences(kind: SequenceKind): fc.Arbitrary<Sequence> {
  return new SequenceArbitrary(kind);
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
  arbitrary: fc.Arbitrary<Sequence>,
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
  const property = fc.asyncProperty(arbitrary, async (sequence) => {
    if (sequence === start) return false;
    const text = JSON.stringify(sequence);
    if (tried.has(text)) return true;
    tried.add(text);
    return !(await fails(sequence));
  });
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
function* simpler(
  sequence: Sequence,
  { simplerSteps, afterRound = (step) => step }: SequenceKind,
): Generator<Sequence> {
  yield* apart(sequence, afterRound);
  yield* ofFewUsers(sequence);
  yield* shorter(sequence);
  yield* partlyApart(sequence);
  yield* plainer(sequence, simplerSteps);
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
      yield without(sequence, from, from + size);
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

function without(sequence: Sequence, from: number, to: number): Sequence {
  return keep(sequence, (index) => index < from || index >= to);
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
function* apart(
  { users, rounds }: Sequence,
  afterRound: Required<SequenceKind>['afterRound'],
): Generator<Sequence> {
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
function* plainer(
  sequence: Sequence,
  simplerSteps: SequenceKind['simplerSteps'],
): Generator<Sequence> {
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
