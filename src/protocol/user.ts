import type { Secret } from '../crypto/secret.ts';

/** A user is known after the key exchange, registered after registration complete (section 3). */
export type UserState = 'known' | 'registered';

/** One user of the application, as far as known. */
export interface User {
  readonly ptnCd: string;
  readonly key: Secret;
  /** The decrypted passcode; absent until the registration is complete. */
  readonly superPasscode?: Secret;
  readonly userInfo?: Secret;
  readonly state: UserState;
}

/** A user with what the service's side knows beside; the application's side gets `User` alone. */
export interface KnownUser extends User {
  /**
   * The passcode that was delivered with this key when the service was played here. It is what the
   * emulated service returns, so that a change of `superPasscode` shows as a mismatch.
   */
  readonly deliveredPasscode?: Secret;
}
