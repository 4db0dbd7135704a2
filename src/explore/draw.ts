import { type Coverage, pairName } from './coverage.ts';
import { type Dice, pick } from './dice.ts';
import { nameOfState, type StateName } from './model/state.ts';
import type { Operation, PlannedUser } from './operation.ts';
import { pickOperation } from './pick-operation.ts';
import { countSteps, namesOther, type Sequence, type Step, type UserPlan } from './sequence.ts';
import { chooseTheme, type Theme } from './themes.ts';
import { collisions } from './user-codes.ts';

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
    const hasEarlier = exchanges > 1 && this.#canSend(earlier.operation);
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
    const nameOf = ({ id }: Operation) => pairName(id, stateOf(plan), size > 1);
    const { curiosity } = this.#theme;
    const operation = pickOperation(this.#dice, fitting, { curiosity, nameOf }, this.#planned);
    if (operation === undefined) return undefined;
    const step: Step = {
      operation: operation.id,
      user,
      ...(chance(0.12) && { fresh: true as const }),
    };
    this.#advance(user, operation);
    return { ...step, ...this.#detailOf(step, plan, others) };
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

  #canSend(id: string): boolean {
    return this.#allowed.has(id);
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
