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

/** The users who occur in the steps, renumbered in the order of their appearance. */
export function withoutIdleUsers({ users, rounds }: Sequence): Sequence {
  const numbers = new Map<number, number>();
  const numberOf = (user: number): number => {
    const known = numbers.get(user) ?? numbers.size;
    numbers.set(user, known);
    return known;
  };
  const renumbered = rounds.map((round) =>
    round.map((step) => ({
      ...step,
      user: numberOf(step.user),
      ...(namesOther(step) && { detail: numberOf(step.detail ?? 0) }),
    })),
  );
  const kept = [...numbers.keys()].map((user) => users[user] ?? { family: user, variant: 'plain' });
  return { users: kept, rounds: renumbered };
}

/** Whether `detail` is a user. */
export function namesOther({ operation }: Step): boolean {
  return operation === 'registration/other-users-key' || operation === 'registration/unknown-user';
}
