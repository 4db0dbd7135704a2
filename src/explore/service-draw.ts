import { type Coverage, pairName } from './coverage.ts';
import type { Dice } from './dice.ts';
import { nameOfSignIn } from './model/service-state.ts';
import { pickOperation } from './pick-operation.ts';
import { countSteps, type Sequence, type Step } from './sequence.ts';
import type { PlannedSignIns, ServiceOperation } from './service-operations.ts';

/** The bounds of what is drawn. */
export interface ServiceBounds {
  readonly operations: readonly ServiceOperation[];
  /** Undefined: drawn, mostly under 25. */
  readonly maxSteps?: number | undefined;
  /** The most; undefined: drawn, 1 to 4. */
  readonly users?: number | undefined;
  /** Undefined: drawn, 1 to 4. */
  readonly concurrency?: number | undefined;
}

/**
 * Draws a sequence of requests to the service. Of the operations that fit a user, those that were `planned` least
 * often in the state that the user will be in are likelier, and in each sequence only some of the malformed ones occur.
 */
export function drawServiceSequence(
  dice: Dice,
  bounds: ServiceBounds,
  planned: Coverage,
): Sequence {
  const { between, chance } = dice;
  const { maxSteps = Number.POSITIVE_INFINITY } = bounds;
  const length = Math.min(maxSteps, chance(0.5) ? between(2, 10) : between(6, 30));
  const many = chance(0.2) ? 1 : between(2, 4);
  const count = Math.min(many, bounds.users ?? many);
  const users = Array.from({ length: count }, (_, family) => ({ family, variant: 'plain' }));
  const plans: Plan[] = users.map(() => ({ issued: 0, used: 0, isUsed: false }));
  const concurrency = chance(0.5) ? 1 : between(1, bounds.concurrency ?? 4);
  const [expiring, operations] = apart(swarm(dice, bounds.operations));
  const rounds: Step[][] = [];
  let last = 0;
  while (countSteps({ rounds }) < length) {
    const size = Math.min(length - countSteps({ rounds }), between(1, concurrency));
    // Races of requests with one token are what concurrency is for.
    const areAlike = size > 1 && chance(0.4);
    const before = plans.map((plan) => ({ ...plan }));
    const round: Step[] = [];
    for (let index = 0; index < size; index += 1) {
      const [first] = round;
      const user = chance(0.5) ? last : between(0, count - 1);
      last = user;
      const step =
        areAlike && first !== undefined
          ? first
          : drawStep(dice, { user, operations, plan: before[user] ?? newPlan, size }, planned);
      if (step === undefined) break;
      round.push(step);
      advance(plans[step.user], step.operation);
    }
    if (round.length === 0) break;
    rounds.push(round);
  }
  if (expiring !== undefined) {
    const repeats = operations.some(({ id }) => id === repeated);
    rounds.push(...onceExpired(dice, plans, repeats, maxSteps - countSteps({ rounds })));
  }
  return { users, rounds };
}

/**
 * Waiting until tokens expire takes seconds: it is done once, at the end, for the tokens of all users, each sent twice. What
 * may change an expiry comes before it.
 */
function onceExpired(
  dice: Dice,
  plans: readonly Plan[],
  repeats: boolean,
  most: number,
): readonly Step[][] {
  const users = plans.flatMap(({ issued }, user) => (issued > 0 ? user : []));
  const again = repeats ? users.filter(() => dice.chance(0.5)) : [];
  const steps = [
    ...again.map((user) => ({ operation: repeated, user })),
    ...[...users, ...users].map((user) => ({ operation: expiredToken, user })),
  ];
  return steps.slice(0, Math.max(0, most)).map((step) => [step]);
}

const repeated = 'token/again';

const expiredToken = 'authenticate/expired-token';

function apart(
  operations: readonly ServiceOperation[],
): readonly [ServiceOperation | undefined, readonly ServiceOperation[]] {
  const isExpired = ({ id }: ServiceOperation) => id === expiredToken;
  const others = operations.filter((operation) => !isExpired(operation));
  // Where nothing else was asked for, it is drawn like any other.
  return others.length > 0 ? [operations.find(isExpired), others] : [undefined, operations];
}

interface Plan extends PlannedSignIns {
  issued: number;
  used: number;
  /** Whether the latest token was used. */
  isUsed: boolean;
}

const newPlan: Plan = { issued: 0, used: 0, isUsed: false };

interface Choice {
  readonly user: number;
  readonly operations: readonly ServiceOperation[];
  readonly plan: Plan;
  readonly size: number;
}

function drawStep(
  dice: Dice,
  { user, operations, plan, size }: Choice,
  planned: Coverage,
): Step | undefined {
  const fitting = operations.filter(({ fits }) => fits(plan));
  const nameOf = ({ id }: ServiceOperation) => pairName(id, stateOf(plan), size > 1);
  const operation = pickOperation(dice, fitting, { curiosity: 0.25, nameOf }, planned);
  if (operation === undefined) return undefined;
  const back = operation.id === 'authenticate/earlier-token';
  return {
    operation: operation.id,
    user,
    ...(back && { detail: dice.between(1, plan.issued - 1) }),
    ...(dice.chance(0.12) && { fresh: true as const }),
  };
}

/** Swarm testing: some operations only; the two that everything rests on always. */
function swarm(dice: Dice, all: readonly ServiceOperation[]): readonly ServiceOperation[] {
  const share = dice.chance(0.2) ? 1 : 0.5;
  const malformed = dice.chance(0.4) ? 0 : share;
  const some = all.filter(
    ({ weight }) => weight >= 40 || dice.chance(weight < 1 ? malformed * share : share),
  );
  return some.length > 0 ? some : all;
}

function advance(plan: Plan | undefined, operation: string): void {
  if (plan === undefined) return;
  if (operation === 'token/valid' || operation === 'token/again') {
    plan.issued += 1;
    plan.isUsed = false;
  } else if (operation === 'authenticate/latest-token') {
    plan.used += 1;
    plan.isUsed = true;
  }
}

function stateOf({ issued, used, isUsed }: Plan) {
  const token = (uses: number) => ({ id: 0, uses, isDoubtful: false, isOver: false });
  const earlier = used > 0 ? [token(1)] : [];
  return nameOfSignIn({ acsTokens: issued > 0 ? [...earlier, token(isUsed ? 1 : 0)] : [] });
}

/** What is simpler than a step: the plain operation of its kind, then the plain wrong one. */
export function* simplerSignIns(step: Step): Generator<Step> {
  const { operation, detail, ...rest } = step;
  const isToken = operation.startsWith('token/');
  const plain = isToken ? 'token/valid' : 'authenticate/latest-token';
  const wrong = isToken ? 'token/token-secret-wrong' : 'authenticate/acs-token-invented';
  if (operation !== plain) yield { ...rest, operation: plain };
  // A token that is not waited for is as simple as the wrong one, and each attempt beside others waits again.
  const waits = operation === expiredToken;
  if (operation !== plain && operation !== wrong && !waits) yield { ...rest, operation: wrong };
  if (detail !== undefined) yield { ...rest, operation: 'authenticate/used-token' };
  if (detail !== undefined && detail > 1) yield { ...step, detail: 1 };
}
