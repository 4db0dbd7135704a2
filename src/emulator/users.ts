import type { User } from '../protocol/user.ts';

/** Where the reference application stores its users. */
export interface UserStore {
  get(ptnCd: string): User | undefined;
  /** Resolves once the user is stored durably; `get` returns it at once. */
  put(user: User): void | Promise<void>;
  list(): readonly User[];
  /** Forgets all users, where that loses nothing that was stored durably. */
  clear?(): void;
}

/** A store in memory. */
export function createUserStore(users: Iterable<User> = []): UserStore {
  const known = new Map([...users].map((user) => [user.ptnCd, user]));
  return {
    get: (ptnCd) => known.get(ptnCd),
    put: (user) => void known.set(user.ptnCd, user),
    list: () => [...known.values()],
    clear: () => known.clear(),
  };
}

/** A user of the emulated service; without a passcode the registration is not complete. */
export type ServiceUser = Pick<User, 'ptnCd' | 'key' | 'superPasscode'>;

/** Called at every sign-in step, so that new users are found. */
export type FindUser = (
  ptnCd: string,
) => ServiceUser | undefined | Promise<ServiceUser | undefined>;
