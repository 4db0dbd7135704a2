import { type Coverage, pairName } from './coverage.ts';
import { nameOfState, type StateName } from './model.ts';
import type { Operation, PlannedUser } from './operations.ts';
import { countSteps, namesOther, type Sequence, type Step, type UserPlan } from './sequence.ts';
import { collisions } from './user-codes.ts';

/** Where the choices of a drawing come from. */
export interface Dice {
  /** A whole number, both ends included. */
  readonly between: (min: number, max: number) => number;
  readonly chance: (probability: number) => boolean;
}

/** One of the items, all as likely. */
function pick<T>({ between }: Dice, items: readonly T[]): T {
  return items[between(0, items.length - 1)] as T;
}

/** The bounds of what is drawn. */
export interface Bounds {
  readonly operations: readonly Operation[];
  /** Undefined: drawn, mostly under 40, now and then hundreds. */
  readonly maxSteps?: number | undefined;
  /** Undefined: drawn, mostly 2 to 5, now and then a hundred. */
  readonly users?: number | undefined;
  /** Undefined: drawn, 1 to 4. */
  readonly concurrency?: number | undefined;
  /** No nearly equal user codes, and at most this many users. */
  readonly givenUsers?: number | undefined;
}

/**
 * Draws a sequence that goes where few have been: its theme is the one that had least of its share, and of
 * the operations that fit a user, those that were `planned` least often in the state that the user will be
 * in are likelier. In each sequence only some operations occur, so that what others hide is reached too.
 */
export function drawSequence(dice: Dice, bounds: Bounds, planned: Coverage): Sequence {
  return new Drawing(dice, bounds, planned).run();
}

class Drawing {
  readonly #dice: Dice;
  readonly #planned: Coverage;
  readonly #theme: Theme;
  readonly #operations: readonly Operation[];
  readonly #users: readonly UserPlan[];
  readonly #plans: Plan[];
  readonly #concurrency: number;
  readonly #most: number;
  /** The names of all operations that may be sent. */
  readonly #allowed: ReadonlySet<string>;
  #lastUser = 0;

  constructor(dice: Dice, bounds: Bounds, planned: Coverage) {
    this.#dice = dice;
    this.#planned = planned;
    this.#theme = chooseTheme(dice, bounds, planned);
    this.#most = bounds.maxSteps ?? Number.POSITIVE_INFINITY;
    this.#users = this.#drawUsers(bounds);
    this.#plans = this.#users.map(() => ({ ...noPlan }));
    this.#concurrency = this.#drawConcurrency(bounds.concurrency ?? 4);
    this.#operations = this.#drawOperations(bounds.operations);
    this.#allowed = new Set(bounds.operations.map(({ id }) => id));
  }

  run(): Sequence {
    const { isComplete, concurrency, steps, name } = this.#theme;
    const isTogether = concurrency === 'together';
    const haveKeys = isComplete || (isTogether && this.#dice.chance(0.5));
    const rounds: Step[][] = haveKeys ? this.#exchangeOfEveryone() : [];
    const left = () => this.#most - countSteps({ rounds });
    let toDraw = Math.min(left(), this.#dice.between(...steps));
    while (toDraw > 0) {
      const round = this.#drawRound(Math.min(toDraw, this.#dice.between(1, this.#concurrency)));
      if (round.length === 0) break;
      toDraw -= round.length;
      rounds.push(round);
      if (isTogether && round.length > 1 && this.#dice.chance(0.5)) {
        const after = this.#aftermath(round, Math.min(toDraw, 2));
        toDraw -= after.length;
        rounds.push(...after);
      }
    }
    if (isComplete || this.#dice.chance(0.7)) rounds.push(...this.#settle(left()));
    this.#planned.count(`steps about ${name}`, countSteps({ rounds }));
    return { users: this.#users, rounds };
  }

  /** In any order. */
  #exchangeOfEveryone(): Step[][] {
    const exchange = this.#operations.find(({ id }) => id === 'key-exchange/valid');
    if (exchange === undefined) return [];
    return this.#shuffled([...this.#users.keys()])
      .slice(0, this.#most)
      .map((user) => {
        this.#advance(user, exchange);
        return [{ operation: exchange.id, user }];
      });
  }

  /** Registrations of a user of a round, with the latest key and the one before: one of them is stored. */
  #aftermath(round: readonly Step[], most: number): Step[][] {
    const { user } = pick(this.#dice, round);
    const { exchanges } = this.#plans[user] ?? noPlan;
    const latest = this.#operations.find(({ id }) => id === 'registration/latest-key');
    if (exchanges === 0 || latest === undefined) return [];
    this.#advance(user, latest);
    const earlier = { operation: 'registration/earlier-key', user, detail: 1 };
    const hasEarlier = exchanges > 1 && this.#allowed.has(earlier.operation);
    return [[{ operation: latest.id, user }], ...(hasEarlier ? [[earlier]] : [])].slice(0, most);
  }

  #drawUsers({ users, givenUsers }: Bounds): readonly UserPlan[] {
    const { between } = this.#dice;
    const drawn = between(...this.#theme.users);
    const count = Math.min(drawn, users ?? drawn, givenUsers ?? drawn);
    if (this.#theme.hasNearCodes) return this.#drawPairs(count >> 1);
    return Array.from({ length: count }, (_, family) => ({ family, variant: 'plain' }));
  }

  /** Those that were planned least often. */
  #drawPairs(count: number): readonly UserPlan[] {
    const nameOf = (pair: readonly [string, string]) => `${pair.join(' and ')} beside each other`;
    const pairs = this.#shuffled(collisions)
      .sort((one, other) => this.#planned.of(nameOf(one)) - this.#planned.of(nameOf(other)))
      .slice(0, count);
    for (const pair of pairs) this.#planned.count(nameOf(pair));
    return pairs.flatMap((pair, family) => pair.map((variant) => ({ family, variant })));
  }

  #drawConcurrency(most: number): number {
    const { concurrency } = this.#theme;
    if (concurrency === 'together') return this.#dice.between(2, most);
    const isAlone = concurrency === 'alone' || this.#dice.chance(0.5);
    return isAlone ? 1 : this.#dice.between(1, most);
  }

  /** Swarm testing: some operations only. */
  #drawOperations(all: readonly Operation[]): readonly Operation[] {
    const { always, variety } = this.#theme;
    const some = all.filter(({ id }) => always.test(id) || this.#dice.chance(variety));
    return some.length > 0 ? some : all;
  }

  #drawRound(size: number): Step[] {
    const round: Step[] = [];
    const before = this.#plans.map((plan) => ({ ...plan }));
    for (let index = 0; index < size; index += 1) {
      const step = this.#drawStep(before, size);
      if (step !== undefined) round.push(step);
    }
    return round;
  }

  #drawStep(plans: readonly Plan[], size: number): Step | undefined {
    const { between, chance } = this.#dice;
    const user = chance(0.5) ? this.#lastUser : between(0, this.#users.length - 1);
    this.#lastUser = user;
    const plan = plans[user] ?? noPlan;
    const others = plans.flatMap((other, index) =>
      index !== user && other.exchanges > 0 ? index : [],
    );
    const seen: PlannedUser = { ...plan, othersHaveKeys: others.length > 0 };
    const fitting = this.#operations.filter((operation) => operation.fits(seen));
    const operation = this.#pickOperation(fitting, (id) => pairName(id, stateOf(plan), size > 1));
    if (operation === undefined) return undefined;
    const own: Step = { operation: operation.id, user };
    const step: Step = chance(0.12) ? { ...own, fresh: true } : own;
    this.#advance(user, operation);
    return { ...step, ...this.#detailOf(step, plan, others) };
  }

  /** One of those that fit a user, by its weight or by how rarely it was planned; it is counted as planned. */
  #pickOperation(
    fitting: readonly Operation[],
    nameOf: (id: string) => string,
  ): Operation | undefined {
    const weights = this.#dice.chance(this.#theme.curiosity)
      ? fitting.map(({ id }) => 1000 / (1 + this.#planned.of(nameOf(id))))
      : fitting.map(({ weight }) => weight);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let left = (this.#dice.between(0, 999_999) / 1_000_000) * total;
    const operation = fitting.find((_, index) => {
      left -= weights[index] ?? 0;
      return left < 0;
    });
    if (operation !== undefined) this.#planned.count(nameOf(operation.id));
    return operation;
  }

  #detailOf(step: Step, { exchanges }: Plan, others: readonly number[]): Pick<Step, 'detail'> {
    if (step.operation === 'registration/earlier-key') {
      return { detail: this.#dice.between(1, Math.max(1, exchanges - 1)) };
    }
    if (!namesOther(step)) return {};
    const near = others.filter(
      (other) => this.#users[other]?.family === this.#users[step.user]?.family,
    );
    const from = near.length > 0 && this.#dice.chance(0.7) ? near : others;
    return from.length > 0 ? { detail: pick(this.#dice, from) } : {};
  }

  #advance(user: number, { id }: Operation): void {
    const plan = this.#plans[user];
    if (plan === undefined) return;
    if (exchanging.has(id)) {
      plan.exchanges += 1;
      plan.wasRegistered ||= plan.isRegistered;
      plan.isRegistered = false;
    } else if (registering.has(id)) {
      plan.registrations += 1;
      plan.isRegistered = true;
    }
  }

  /** At the end, everybody who can register does, in any order: what went wrong before shows. */
  #settle(most: number): Step[][] {
    const late = this.#operations.find(({ id }) => settling.test(id));
    if (late === undefined) return [];
    const waiting = this.#plans.flatMap((plan, user) =>
      plan.exchanges > 0 && !plan.isRegistered ? user : [],
    );
    const steps = this.#shuffled(waiting)
      .slice(0, Math.max(0, most))
      .map((user): Step => ({ operation: late.id, user }));
    const size = this.#theme.concurrency === 'together' ? this.#concurrency : 1;
    const rounds: Step[][] = [];
    for (let at = 0; at < steps.length; at += size) rounds.push(steps.slice(at, at + size));
    return rounds;
  }

  #shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.map(() => left.splice(this.#dice.between(0, left.length - 1), 1)[0] as T);
  }
}

const settling = /^registration\/(?:latest-key|late)$/;

interface Plan {
  exchanges: number;
  registrations: number;
  isRegistered: boolean;
  wasRegistered: boolean;
}

const noPlan: Plan = { exchanges: 0, registrations: 0, isRegistered: false, wasRegistered: false };

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

function stateOf({ exchanges, isRegistered, wasRegistered }: Plan): StateName {
  return nameOfState({
    keys: exchanges > 0 ? [0] : [],
    registrations: isRegistered ? 1 : 0,
    used: wasRegistered ? [0] : [],
  });
}

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
  const { users = 100, givenUsers = 100, maxSteps = 260, concurrency = 4 } = bounds;
  const most = Math.min(users, givenUsers, maxSteps);
  const fitting = themes.filter(
    (theme, index) =>
      index === 0 ||
      (theme.users[0] <= most &&
        (theme.concurrency !== 'together' || concurrency > 1) &&
        (theme.hasNearCodes === undefined || bounds.givenUsers === undefined)),
  );
  const one = fitting[dice.between(0, fitting.length - 1)] ?? (themes[0] as Theme);
  if (dice.chance(0.25)) return one;
  const doneOf = ({ name, share }: Theme) => planned.of(`steps about ${name}`) / share;
  return fitting.reduce((least, theme) => (doneOf(theme) < doneOf(least) ? theme : least), one);
}
