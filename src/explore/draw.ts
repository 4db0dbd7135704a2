import type { TestUsers } from '../conformance/context.ts';
import { type Coverage, pairName } from './coverage.ts';
import { nameOfState } from './model.ts';
import type { Operation, PlannedUser } from './operations.ts';
import { countSteps, namesOther, type Sequence, type Step, type UserPlan } from './sequence.ts';
import { collisions } from './user-codes.ts';

export interface Dice {
  /** A whole number, both ends included. */
  readonly between: (min: number, max: number) => number;
  readonly chance: (probability: number) => boolean;
}

function pick<T>({ between }: Dice, items: readonly T[]): T {
  return items[between(0, items.length - 1)] as T;
}

export interface Bounds {
  readonly operations: readonly Operation[];
  /** Undefined: drawn, mostly under 40, now and then hundreds. */
  readonly maxSteps?: number | undefined;
  /** Undefined: drawn, mostly 2 to 5, now and then a hundred. */
  readonly users?: number | undefined;
  /** Undefined: drawn, 1 to 4. */
  readonly concurrency?: number | undefined;
  /** No nearly equal user codes, and no more users than these. */
  readonly given?: TestUsers | undefined;
}

/**
 * Draws a sequence that goes where few have been: its theme is the one that had least of its share, and of
 * the operations that fit a user, those that were `planned` least often in the state that the user will be
 * in are likelier. In each sequence only some operations occur, so that what others hide is reached too.
 */
export function drawSequence(dice: Dice, bounds: Bounds, planned: Coverage): Sequence {
  const { between, chance } = dice;
  const theme = chooseTheme(dice, bounds, planned);
  const { always, variety, isComplete } = theme;
  const most = bounds.maxSteps ?? Number.POSITIVE_INFINITY;
  const users = drawUsers(dice, bounds, theme, planned);
  const plans = users.map((): PlannedUser => ({ ...noPlan }));
  const { concurrency: mostTogether = 4 } = bounds;
  const isTogether = theme.concurrency === 'together';
  const isAlone = !isTogether && (theme.concurrency === 'alone' || chance(0.5));
  const concurrency = isAlone ? 1 : between(isTogether ? 2 : 1, mostTogether);
  // Swarm testing: some operations only.
  const some = bounds.operations.filter(({ id }) => always.test(id) || chance(variety));
  const operations = some.length > 0 ? some : bounds.operations;
  let lastUser = 0;

  const advance = (user: number, { id }: Operation) => {
    const plan = plans[user];
    if (plan === undefined) return;
    if (exchanging.has(id)) {
      plan.exchanges += 1;
      plan.wasRegistered ||= plan.isRegistered;
      plan.isRegistered = false;
    } else if (registering.has(id)) {
      plan.registrations += 1;
      plan.isRegistered = true;
    }
  };

  /** Everyone gets a key, in any order. */
  const exchangeOfEveryone = (): Step[][] => {
    const exchange = operations.find(({ id }) => id === 'key-exchange/valid');
    if (exchange === undefined) return [];
    const order = shuffled(dice, [...users.keys()]).slice(0, most);
    for (const user of order) advance(user, exchange);
    return order.map((user) => [{ operation: exchange.id, user }]);
  };

  /** Registrations of a user of a round, with the latest key and the one before: one of them is stored. */
  const aftermath = (round: readonly Step[], room: number): Step[][] => {
    const { user } = pick(dice, round);
    const { exchanges } = plans[user] ?? noPlan;
    const latest = operations.find(({ id }) => id === 'registration/latest-key');
    if (exchanges === 0 || latest === undefined) return [];
    advance(user, latest);
    const earlier = { operation: 'registration/earlier-key', user, detail: 1 };
    const hasEarlier = bounds.operations.some(({ id }) => id === earlier.operation);
    const steps = [
      { operation: latest.id, user },
      ...(exchanges > 1 && hasEarlier ? [earlier] : []),
    ];
    return steps.slice(0, room).map((step) => [step]);
  };

  const detailOf = (step: Step, { exchanges }: PlannedUser, others: readonly number[]) => {
    if (step.operation === 'registration/earlier-key') {
      return { detail: between(1, Math.max(1, exchanges - 1)) };
    }
    if (!namesOther(step)) return {};
    const near = others.filter((other) => users[other]?.family === users[step.user]?.family);
    const from = near.length > 0 && chance(0.7) ? near : others;
    return from.length > 0 ? { detail: pick(dice, from) } : {};
  };

  const drawStep = (before: readonly PlannedUser[], isConcurrent: boolean): Step | undefined => {
    const user = chance(0.5) ? lastUser : between(0, users.length - 1);
    lastUser = user;
    const plan = before[user] ?? noPlan;
    const others = before.flatMap((other, index) =>
      index !== user && other.exchanges > 0 ? index : [],
    );
    const fitting = operations.filter((operation) => operation.fits(plan, others.length > 0));
    const state = nameOfState({
      keys: plan.exchanges > 0 ? ['any'] : [],
      registrations: plan.isRegistered ? 1 : 0,
      used: plan.wasRegistered ? ['any'] : [],
    });
    const nameOf = (id: string) => pairName(id, state, isConcurrent);
    const operation = pickOperation(dice, fitting, theme, planned, nameOf);
    if (operation === undefined) return undefined;
    const own: Step = { operation: operation.id, user };
    const step: Step = chance(0.12) ? { ...own, fresh: true } : own;
    advance(user, operation);
    return { ...step, ...detailOf(step, plan, others) };
  };

  const drawRound = (size: number): Step[] => {
    const before = plans.map((plan) => ({ ...plan }));
    const drawn = Array.from({ length: size }, () => drawStep(before, size > 1));
    return drawn.filter((step) => step !== undefined);
  };

  /** At the end, everybody who can register does, in any order: what went wrong before shows. */
  const settle = (room: number): Step[][] => {
    const late = operations.find(({ id }) => settling.test(id));
    if (late === undefined) return [];
    const waiting = plans.flatMap((plan, user) =>
      plan.exchanges > 0 && !plan.isRegistered ? user : [],
    );
    const steps = shuffled(dice, waiting)
      .slice(0, Math.max(0, room))
      .map((user): Step => ({ operation: late.id, user }));
    const size = isTogether ? concurrency : 1;
    const together: Step[][] = [];
    for (let at = 0; at < steps.length; at += size) together.push(steps.slice(at, at + size));
    return together;
  };

  const haveKeys = isComplete || (isTogether && chance(0.5));
  const rounds = haveKeys ? exchangeOfEveryone() : [];
  const left = () => most - countSteps({ rounds });
  let toDraw = Math.min(left(), between(...theme.steps));
  while (toDraw > 0) {
    const round = drawRound(Math.min(toDraw, between(1, concurrency)));
    if (round.length === 0) break;
    toDraw -= round.length;
    rounds.push(round);
    if (isTogether && round.length > 1 && chance(0.5)) {
      const after = aftermath(round, Math.min(toDraw, 2));
      toDraw -= after.length;
      rounds.push(...after);
    }
  }
  if (isComplete || chance(0.7)) rounds.push(...settle(left()));
  planned.count(`steps about ${theme.name}`, countSteps({ rounds }));
  return { users, rounds };
}

function drawUsers(
  dice: Dice,
  { users, given }: Bounds,
  theme: Theme,
  planned: Coverage,
): readonly UserPlan[] {
  const drawn = dice.between(...theme.users);
  const count = Math.min(drawn, users ?? drawn, given?.limit ?? drawn);
  if (!theme.hasNearCodes) {
    return Array.from({ length: count }, (_, family) => ({ family, variant: 'plain' }));
  }
  // Pairs, those that were planned least often.
  const nameOf = (pair: readonly [string, string]) => `${pair.join(' and ')} beside each other`;
  const pairs = shuffled(dice, collisions)
    .sort((one, other) => planned.of(nameOf(one)) - planned.of(nameOf(other)))
    .slice(0, count >> 1);
  for (const pair of pairs) planned.count(nameOf(pair));
  return pairs.flatMap((pair, family) => pair.map((variant) => ({ family, variant })));
}

/** One of those that fit a user, by its weight or by how rarely it was planned; it is counted as planned. */
function pickOperation(
  { between, chance }: Dice,
  fitting: readonly Operation[],
  { curiosity }: Theme,
  planned: Coverage,
  nameOf: (id: string) => string,
): Operation | undefined {
  const weights = chance(curiosity)
    ? fitting.map(({ id }) => 1000 / (1 + planned.of(nameOf(id))))
    : fitting.map(({ weight }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = (between(0, 999_999) / 1_000_000) * total;
  const operation = fitting.find((_, index) => {
    left -= weights[index] ?? 0;
    return left < 0;
  });
  if (operation !== undefined) planned.count(nameOf(operation.id));
  return operation;
}

function shuffled<T>({ between }: Dice, items: readonly T[]): T[] {
  const left = [...items];
  return items.map(() => left.splice(between(0, left.length - 1), 1)[0] as T);
}

const settling = /^registration\/(?:latest-key|late)$/;

const noPlan = { exchanges: 0, registrations: 0, isRegistered: false, wasRegistered: false };

const exchanging = new Set(
  ['valid', 'second-public-key', '3072-bits', '4096-bits', 'unknown-field'].map(
    (name) => `key-exchange/${name}`,
  ),
);
const registering = new Set(
  ['latest-key', 'user-info', 'unicode-user-info', 'unknown-field', 'late'].map(
    (name) => `registration/${name}`,
  ),
);

type Range = readonly [min: number, max: number];

/** What a sequence is about: each kind of fault hides from sequences that are about everything. */
interface Theme {
  readonly name: string;
  /** The share of all steps that its sequences take, beside those of the other themes. */
  readonly share: number;
  readonly users: Range;
  /** Without those with which everyone gets a key, and those that settle the sequence. */
  readonly steps: Range;
  /** `mixed`: alone in half of the sequences. */
  readonly concurrency: 'alone' | 'mixed' | 'together';
  /** The operations that always occur; each of the others with the chance of `variety`. */
  readonly always: RegExp;
  readonly variety: number;
  /** How often a step goes where few have been; the others go by the weights of the operations. */
  readonly curiosity: number;
  /** The users are pairs with nearly the same code. */
  readonly hasNearCodes?: true;
  /** Everyone gets a key first, and registers in the end. */
  readonly isComplete?: true;
}

const signUps = /^(?:key-exchange\/valid|registration\/latest-key)$/;

/** The themes; the first one fits all bounds. */
const themes: readonly Theme[] = [
  theme('a few steps', 20, [1, 4], [3, 12], { variety: 0.35, curiosity: 0.5 }),
  theme('some users', 20, [2, 5], [8, 40], { variety: 0.35, curiosity: 0.35 }),
  theme('everything', 8, [2, 5], [40, 150], { variety: 1, curiosity: 0.35 }),
  theme('the history of a user', 12, [1, 2], [8, 30], { concurrency: 'alone', variety: 0.25 }),
  theme('registrations', 12, [2, 4], [6, 20], {
    concurrency: 'alone',
    always: /^key-exchange\/valid$|^registration/,
    variety: 0,
    curiosity: 0.7,
  }),
  theme('races', 20, [1, 3], [2, 16], { concurrency: 'together', variety: 0.12, curiosity: 0.15 }),
  theme('user codes that nearly collide', 20, [6, 14], [0, 8], {
    concurrency: 'alone',
    hasNearCodes: true,
    isComplete: true,
  }),
  theme('a crowd', 10, [6, 20], [0, 20], { isComplete: true }),
  theme('a hundred users', 8, [51, 100], [0, 60], { isComplete: true }),
];

function theme(
  name: string,
  share: number,
  users: Range,
  steps: Range,
  differing: Partial<Theme>,
): Theme {
  const usual = { concurrency: 'mixed', always: signUps, variety: 0.1, curiosity: 0.2 } as const;
  return { name, share, users, steps, ...usual, ...differing };
}

/** The theme of the next sequence: mostly the one that had least of its share, by the steps that were `planned`. */
function chooseTheme(dice: Dice, bounds: Bounds, planned: Coverage): Theme {
  const { users = 100, given, maxSteps = 260, concurrency = 4 } = bounds;
  const most = Math.min(users, given?.limit ?? 100, maxSteps);
  const fitting = themes.filter(
    (theme, index) =>
      index === 0 ||
      (theme.users[0] <= most &&
        (theme.concurrency !== 'together' || concurrency > 1) &&
        (theme.hasNearCodes === undefined || given === undefined)),
  );
  const one = fitting[dice.between(0, fitting.length - 1)] ?? (themes[0] as Theme);
  if (dice.chance(0.25)) return one;
  const doneOf = ({ name, share }: Theme) => planned.of(`steps about ${name}`) / share;
  return fitting.reduce((least, theme) => (doneOf(theme) < doneOf(least) ? theme : least), one);
}
