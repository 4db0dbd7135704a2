import type { Secret } from '../crypto/secret.ts';
import { inventPasscode, inventUserCode, inventUserInformation } from '../protocol/stand-ins.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import { hideUserInformation } from './known-user.ts';
import type { Session } from './session.ts';
import type { RegistrationOptions } from './simulation-flags.ts';

/** The user code given, or a new one with a prefix that shows where it came from. */
export function userCode(given: string | undefined, session: Session): string {
  const ptnCd = given ?? inventUserCode(session.context.randomBytes);
  session.secrets.show(ptnCd);
  return ptnCd;
}

/** The passcode given, or a new one. */
export function passcode(given: Secret | undefined, session: Session): string {
  const value = given?.reveal() ?? inventPasscode(session.context.randomBytes);
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
  const said = () =>
    nothing ? inventUserInformation(ptnCd) : encodeUserInformation({ email, name, phone });
  const text = options.userInfo ?? said();
  hideUserInformation(text, session);
  return text;
}
