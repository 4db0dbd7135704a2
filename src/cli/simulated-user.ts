import { encodeHex } from '../bytes.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import { hideUserInformation } from './known-user.ts';
import type { Session } from './session.ts';
import type { RegistrationOptions } from './simulation-flags.ts';

/** The user code given, or a new one with a prefix that shows where it came from. */
export function userCode(given: string | undefined, session: Session): string {
  const ptnCd = given ?? `authcli-${encodeHex(session.context.randomBytes(6))}`;
  session.secrets.show(ptnCd);
  return ptnCd;
}

/** The passcode given, or a new one. */
export function passcode(given: string | undefined, session: Session): string {
  const value = given ?? generatePerUserKey(session.context.randomBytes, { length: 24 });
  session.secrets.add(value);
  return value;
}

/** The text of `ubifill` before encryption; undefined for none. A user of whom nothing is said is made up. */
export function userInformationText(
  options: RegistrationOptions,
  ptnCd: string,
  session: Session,
): string | undefined {
  if (options.noUserInfo) return undefined;
  const { email, name, phone } = options;
  const nothing = [email, name, phone].every((value) => value === undefined);
  const made = {
    email: `${ptnCd.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 40)}@example.com`,
    name: 'Test User',
    phone: '+1-555-0100',
  };
  const text = options.userInfo ?? encodeUserInformation(nothing ? made : { email, name, phone });
  hideUserInformation(text, session);
  return text;
}
