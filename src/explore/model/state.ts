/** A key of a sequence, by the number under which it was seen; `unreadable` came in a form that can't be read. */
export type KeyId = number;
export const unreadable: KeyId = -1;

/** What the application is known to do where the interface leaves it open; undefined where that is not known. */
export interface KeyPolicy {
  /** A registration under a key before the stored one is refused. */
  readonly refusesEarlierKeys?: boolean;
  /** A second registration under the stored key is accepted. */
  readonly registersAgain?: boolean;
}

/** What the application may know about one user. */
export interface UserState {
  readonly policy: KeyPolicy;
  /** The keys that were given out, the oldest first; the last one is stored. */
  readonly keys: readonly KeyId[];
  /** How many registrations were accepted under the stored key. */
  readonly registrations: number;
  /** Keys under which a registration was ever accepted. */
  readonly used: readonly KeyId[];
  /** The order of the earlier keys and of the registrations is not known: they came at the same time as others. */
  readonly isVague?: true;
}

export function unknownUser(policy: KeyPolicy): UserState {
  return { policy, keys: [], registrations: 0, used: [] };
}

/** The same without what is not known of callbacks at the same time: many orders of them are one such state. */
export function vague(state: UserState): UserState {
  const inOrder = (keys: readonly KeyId[]) => [...keys].sort((one, other) => one - other);
  return {
    ...state,
    keys: [...inOrder(state.keys.slice(0, -1)), ...state.keys.slice(-1)],
    registrations: Math.min(1, state.registrations),
    used: inOrder(state.used),
    isVague: true,
  };
}

/** The names of the states of a user, as coverage counts them. */
export const stateNames = ['unknown', 'known', 'registered', 'known-again'] as const;

export type StateName = (typeof stateNames)[number];

/** `known-again`: with a new key after a registration under an earlier one. */
export function nameOfState({ keys, registrations, used }: Omit<UserState, 'policy'>): StateName {
  if (keys.length === 0) return 'unknown';
  if (registrations > 0) return 'registered';
  return used.length > 0 ? 'known-again' : 'known';
}

/** The user after an accepted key exchange. */
export function withKey(state: UserState, key: KeyId): UserState {
  return { ...state, keys: [...state.keys, key], registrations: 0 };
}

/** The user after an accepted registration under the stored key. */
export function withRegistration(state: UserState): UserState {
  const key = state.keys.at(-1) ?? unreadable;
  const used = state.used.includes(key) ? state.used : [...state.used, key];
  return { ...state, registrations: state.registrations + 1, used };
}

/** The same where an earlier key becomes the stored one by it. */
export function withEarlierKey(state: UserState, key: KeyId): UserState {
  const keys = [...state.keys.filter((each) => each !== key), key];
  return withRegistration({ ...state, keys, registrations: 0 });
}
