/** One callback of a sequence. */
export interface Step {
  /** The name of the operation. */
  readonly operation: string;
  /** Which of the users it is about. */
  readonly user: number;
  /** The user whose key is misused, or how many key exchanges back the key is from. */
  readonly detail?: number;
  /** On a connection of its own. */
  readonly fresh?: true;
}

/** A user of a sequence. */
export interface UserPlan {
  /** Users of one family have nearly the same code. */
  readonly family: number;
  /** How the code differs from the ordinary one of its family; see `variants`. */
  readonly variant: string;
}

/** What is sent: rounds one after another, the steps of a round at the same time. */
export interface Sequence {
  readonly users: readonly UserPlan[];
  readonly rounds: readonly (readonly Step[])[];
}

export function countSteps({ rounds }: Pick<Sequence, 'rounds'>): number {
  return rounds.reduce((sum, round) => sum + round.length, 0);
}

/** Whether steps are sent at the same time. */
export function hasConcurrency({ rounds }: Pick<Sequence, 'rounds'>): boolean {
  return rounds.some((round) => round.length > 1);
}

/** The same sequence with each step on a connection of its own. */
export function onNewConnections({ users, rounds }: Sequence): Sequence {
  const isolated = (step: Step): Step => ({ ...step, fresh: true });
  return { users, rounds: rounds.map((round) => round.map(isolated)) };
}

/** The operations one after another, all of one user. */
export function ofOneUser(...operations: readonly string[]): Sequence {
  return {
    users: [{ family: 0, variant: 'plain' }],
    rounds: operations.map((operation) => [{ operation, user: 0 }]),
  };
}

/** A sequence of only those of its steps that are `kept`; undefined if none is. */
export function onlySteps(
  { users, rounds }: Sequence,
  isKept: (step: Step) => boolean,
): Sequence | undefined {
  const kept = rounds.map((round) => round.filter(isKept)).filter((round) => round.length > 0);
  return kept.length > 0 ? withoutIdleUsers({ users, rounds: kept }) : undefined;
}

/** The users who occur in the steps, renumbered in the order of their appearance. */
export function withoutIdleUsers({ users, rounds }: Sequence): Sequence {
  const numbers = new Map<number, number>();
  const numberOf = (user: number): number => {
    const known = numbers.get(user) ?? numbers.size;
    numbers.set(user, known);
    return known;
  };
  const renumbered = (step: Step): Step => ({
    ...step,
    user: numberOf(step.user),
    ...(namesOther(step) && { detail: numberOf(step.detail ?? 0) }),
  });
  const kept = rounds.map((round) => round.map(renumbered));
  const own = [...numbers.keys()].map((user) => users[user] ?? { family: user, variant: 'plain' });
  return { users: own, rounds: kept };
}

/** Whether `detail` is a user. */
export function namesOther({ operation }: Step): boolean {
  return operation === 'registration/other-users-key' || operation === 'registration/unknown-user';
}
