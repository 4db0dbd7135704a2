import { Secret } from '../crypto/secret.ts';
import type { ServiceUser as EmulatedUser } from '../emulator/users.ts';
import type { User } from '../protocol/user.ts';
import { checkOptions } from './arguments.ts';

// Plain texts outside become secrets inside, so that printing an object by mistake doesn't show them.

/** The per-user key and passcode of a user, as far as known. */
export interface UserSecrets {
  readonly key?: string;
  /** As stored at the registration. */
  readonly superPasscode?: string;
}

/** What the emulated service must know about a user. */
export interface ServiceUser {
  readonly ptnCd: string;
  readonly key: string;
  /** Absent until the registration is complete. */
  readonly superPasscode?: string;
}

/** A user as the reference application stores them. */
export interface ApplicationUser extends ServiceUser {
  readonly userInfo?: string;
  /** `known` after the key exchange, `registered` after registration complete. */
  readonly state: 'known' | 'registered';
}

/** A user for the emulated service. */
export function toServiceUser(user: ServiceUser): EmulatedUser {
  checkOptions(user);
  const { ptnCd, key, superPasscode } = user;
  return { ptnCd, key: Secret.key(key), superPasscode: Secret.optional(superPasscode) };
}

/** A user for the reference application. */
export function toUser(user: ApplicationUser): User {
  checkOptions(user);
  return {
    ...user,
    key: Secret.key(user.key),
    superPasscode: Secret.optional(user.superPasscode),
    userInfo: Secret.optional(user.userInfo),
  };
}

/** A user of the reference application in plain texts. */
export function fromUser({ key, superPasscode, userInfo, ...user }: User): ApplicationUser {
  return {
    ...user,
    key: key.reveal(),
    ...(superPasscode !== undefined && { superPasscode: superPasscode.reveal() }),
    ...(userInfo !== undefined && { userInfo: userInfo.reveal() }),
  };
}
