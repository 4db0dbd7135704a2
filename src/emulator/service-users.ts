import type { Secret } from '../crypto/secret.ts';

/** What the emulated service must know of a user. */
export interface ServiceUser {
  readonly ptnCd: string;
  /** The per-user key. */
  readonly key: Secret;
  /** The Super Passcode; absent while the registration is not complete. */
  readonly superPasscode?: Secret;
}

/** Looks a user up; called at every sign-in step, so that users are known as they come. */
export type FindUser = (
  ptnCd: string,
) => ServiceUser | undefined | Promise<ServiceUser | undefined>;
