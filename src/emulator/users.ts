import type { Secret } from '../crypto/secret.ts';

/** A user as the reference application keeps them. */
export interface ApplicationUser {
  readonly ptnCd: string;
  /** The per-user key, 32 characters. */
  readonly key: Secret;
  /** The decrypted passcode; absent until the registration is complete. */
  readonly superPasscode?: Secret;
  /** The decrypted user information as text. */
  readonly userInfo?: Secret;
  /** `known` after the key exchange, `registered` after registration complete. */
  readonly state: 'known' | 'registered';
}

/** Where the reference application keeps its users. */
export interface UserStore {
  get(ptnCd: string): ApplicationUser | undefined;
  /** Keeps `user` under `ptnCd`; resolves once it is kept for good. What `get` returns changes at once. */
  put(user: ApplicationUser): void | Promise<void>;
  list(): readonly ApplicationUser[];
}

/** A store in memory that begins with `users`. */
export function createUserStore(users: Iterable<ApplicationUser> = []): UserStore {
  const known = new Map([...users].map((user) => [user.ptnCd, user]));
  return {
    get: (ptnCd) => known.get(ptnCd),
    put: (user) => void known.set(user.ptnCd, user),
    list: () => [...known.values()],
  };
}
