import { type Coverage, pairName } from './coverage.ts';
import { type Dice, pick, pickWeighted } from './dice.ts';
import { nameOfState, type StateName } from './model/state.ts';
import type { Operation, PlannedUser } from './operations.ts';
import { countSteps, namesOther, type Sequence, type Step, type UserPlan } from './sequence.ts';
import { variants } from './user-codes.ts';

/** The bounds of what is drawn. */
export interface Bounds {
  readonly operations: readonly Operation[];
  /** Undefined: drawn, mostly under 40, now and then hundreds. */
  readonly maxSteps?: number | undefined;
  /** Undefined: drawn, mostly 2 to 5, now and then a hundred. */
  readonly users?: number | undefined;
  /** Undefined: drawn, 1 to 4. */
  readonly concurrency?: number | undefined;
  /** No nearly equal user codes, and only so many users. */
  readonly givenUsers?: number | undefined;
}

/**
 * Draws a sequence that goes where few have been: of the operations that fit a user, those that
 * were `planned` least often in the state that the user will be in are likelier, and in each sequence
 * only some operations occur, so that what others hide is reached too.
 */
export function drawSequence(dice: Dice, bounds: Bounds, planned: Coverage): Sequence {
  return new Drawing(dice, bounds, planned).run();
}

class Drawing {
  readonly #dice: Dice;
  readonly #planned: Coverage;
  readonly #operations: readonly Operation[];
  readonly #users: readonly UserPlan[];
  readonly #plans: Plan[];
  readonly #concurrency: number;
  readonly #isCrowd: boolean;
  readonly #most: number;
  readonly #steps: number;
  #lastUser = 0;

  constructor(dice: Dice, bounds: Bounds, planned: Coverage) {
    this.#dice = dice;
    this.#planned = planned;
    const canCrowd = bounds.operations.some(({ id }) => id === 'key-exchange/valid');
    const isCrowd = dice.chance(0.05) && canCrowd;
    this.#isCrowd = isCrowd;
    this.#most = bounds.maxSteps ?? Number.POSITIVE_INFINITY;
    this.#steps = Math.min(this.#most, this.#drawLength(isCrowd));
    this.#users = this.#drawUsers(bounds, isCrowd);
    this.#plans = this.#users.map(() => ({
      exchanges: 0,
      registrations: 0,
      isRegistered: false,
      wasRegistered: false,
    }));
    this.#concurrency = dice.chance(0.5) ? 1 : dice.between(1, bounds.concurrency ?? 4);
    this.#operations = this.#drawOperations(bounds.operations, isCrowd);
  }

  run(): Sequence {
    const rounds: Step[][] = [];
    let left = this.#steps;
    if (this.#isCrowd) {
      const everyone = this.#users.slice(0, left).map((_, user) => [this.#exchangeOf(user)]);
      rounds.push(...everyone);
      left -= everyone.length;
    }
    while (left > 0) {
      const size = Math.min(left, this.#dice.between(1, this.#concurrency));
      const round = this.#drawRound(size);
      if (round.length === 0) break;
      left -= round.length;
      rounds.push(round);
    }
    if (this.#dice.chance(0.7)) rounds.push(...this.#settle(this.#most - countSteps({ rounds })));
    return { users: this.#users, rounds };
  }

  #exchangeOf(user: number): Step {
    const plan = this.#plans[user];
    if (plan !== undefined) plan.exchanges += 1;
    return { operation: 'key-exchange/valid', user };
  }

  #drawLength(isCrowd: boolean): number {
    const { between, chance } = this.#dice;
    if (isCrowd) return between(60, 260);
    if (chance(0.5)) return between(3, 12);
    return chance(0.9) ? between(8, 40) : between(40, 150);
  }

  #drawUsers({ users, givenUsers }: Bounds, isCrowd: boolean): readonly UserPlan[] {
    const { between, chance } = this.#dice;
    const many = isCrowd ? between(30, 100) : chance(0.2) ? 1 : between(2, 5);
    const count = Math.min(many, users ?? many, givenUsers ?? many);
    const areNear = givenUsers === undefined && !isCrowd && chance(0.4);
    return Array.from({ length: Math.max(1, count) }, (_, index) => ({
      family: areNear ? index % 2 : index,
      variant: areNear && chance(0.6) ? pick(this.#dice, variants).name : 'plain',
    })).filter(isFirstOfItsCode);
  }

  /** Swarm testing: some operations only; the two that everything rests on always. */
  #drawOperations(all: readonly Operation[], isCrowd: boolean): readonly Operation[] {
    const share = isCrowd ? 0.1 : this.#dice.chance(0.3) ? 1 : 0.35;
    const some = all.filter((operation) => operation.weight >= 40 || this.#dice.chance(share));
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
    const operation = this.#choose(fitting, stateOf(plan), size);
    if (operation === undefined) return undefined;
    this.#planned.count(pairName(operation.id, stateOf(plan), size > 1));
    const step: Step = {
      operation: operation.id,
      user,
      ...(chance(0.12) && { fresh: true as const }),
    };
    this.#advance(user, operation);
    return { ...step, ...this.#detailOf(step, plan, others) };
  }

  #choose(fitting: readonly Operation[], state: StateName, size: number): Operation | undefined {
    const rarest = (operation: Operation) =>
      this.#planned.of(pairName(operation.id, state, size > 1));
    const weights = this.#dice.chance(0.35)
      ? fitting.map((operation) => 1000 / (1 + rarest(operation)))
      : fitting.map(({ weight }) => weight);
    return pickWeighted(this.#dice, fitting, weights);
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

  /** At the end, everybody who can register does: what went wrong before shows. */
  #settle(most: number): Step[][] {
    const late = this.#operations.find(({ id }) => settling.test(id));
    if (late === undefined) return [];
    const waiting = this.#plans.flatMap((plan, user) =>
      plan.exchanges > 0 && !plan.isRegistered ? user : [],
    );
    return waiting.slice(0, Math.max(0, most)).map((user) => [{ operation: late.id, user }]);
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

function isFirstOfItsCode(plan: UserPlan, index: number, all: readonly UserPlan[]): boolean {
  return (
    all.findIndex(({ family, variant }) => family === plan.family && variant === plan.variant) ===
    index
  );
}
