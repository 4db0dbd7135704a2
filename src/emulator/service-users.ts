/** What the emulated service must know of a user. */
export interface ServiceUser {
  readonly ptnCd: string;
  /** The per-user key. */
  readonly key: string;
  /** The Super Passcode; absent while the registration is not complete. */
  readonly superPasscode?: string;
}

/** Looks a user up; called at every sign-in step, so that users are known as they come. */
export type FindUser = (
  ptnCd: string,
) => ServiceUser | undefined | Promise<ServiceUser | undefined>;

/**
 * A look-up that remembers the passcode it first saw under each per-user key.
 *
 * Where the emulated service and the application's side share one list of users, a passcode that is
 * changed there would be changed for both, and a sign-in would match all the same. The interface
 * gives a user a passcode together with a new key (section 1.2), so another passcode under the key
 * of before was not delivered by the service: it keeps its own, and the comparison shows the
 * difference. A new key exchange is a new sign-up, and its passcode counts.
 *
 * @param known users whose passcodes the service knows from the beginning
 */
export function rememberPasscodes(find: FindUser, known: Iterable<ServiceUser> = []): FindUser {
  const remembered = new Map<string, ServiceUser>();
  const remember = (user: ServiceUser): ServiceUser => {
    const before = remembered.get(user.ptnCd);
    if (before !== undefined && before.key === user.key) return before;
    if (user.superPasscode !== undefined) remembered.set(user.ptnCd, user);
    return user;
  };
  for (const user of known) remember(user);
  return async (ptnCd) => {
    const user = await find(ptnCd);
    return user && remember(user);
  };
}
