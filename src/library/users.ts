import { Secret } from '../crypto/secret.ts';
import type { ServiceUser as KnownServiceUser } from '../emulator/service-users.ts';
import type { ApplicationUser as KeptUser } from '../emulator/users.ts';

/*
 * Callers give and get plain texts; inside they are secrets from here on, so that nothing that prints
 * an object by mistake shows them.
 */

/** What is known of a user at a sign-in. */
export interface UserSecrets {
  /** The per-user key, plain. */
  readonly key?: string;
  /** The passcode that was stored at the registration. */
  readonly superPasscode?: string;
}

/** What the emulated service must know of a user. */
export interface ServiceUser {
  readonly ptnCd: string;
  /** The per-user key. */
  readonly key: string;
  /** The Super Passcode; absent while the registration is not complete. */
  readonly superPasscode?: string;
}

/** A user as the reference application keeps them. */
export interface ApplicationUser {
  readonly ptnCd: string;
  /** The per-user key, 32 characters. */
  readonly key: string;
  /** The decrypted passcode; absent until the registration is complete. */
  readonly superPasscode?: string;
  /** The decrypted user information as text. */
  readonly userInfo?: string;
  /** `known` after the key exchange, `registered` after registration complete. */
  readonly state: 'known' | 'registered';
}

/** The user as the emulated service keeps them. */
export function toServiceUser({ ptnCd, key, superPasscode }: ServiceUser): KnownServiceUser {
  return { ptnCd, key: Secret.key(key), superPasscode: Secret.optional(superPasscode) };
}

/** The user as the reference application keeps them. */
export function toKeptUser(user: ApplicationUser): KeptUser {
  return {
    ...user,
    key: Secret.key(user.key),
    superPasscode: Secret.optional(user.superPasscode),
    userInfo: Secret.optional(user.userInfo),
  };
}

/** The user as a caller gets them, key and passcode in clear. */
export function fromKeptUser({ key, superPasscode, userInfo, ...user }: KeptUser): ApplicationUser {
  return {
    ...user,
    key: key.reveal(),
    ...(superPasscode !== undefined && { superPasscode: superPasscode.reveal() }),
    ...(userInfo !== undefined && { userInfo: userInfo.reveal() }),
  };
}
