import { Secret } from '../crypto/secret.ts';
import { inventUserInformation } from '../protocol/stand-in-information.ts';
import { inventPasscode, inventUserCode } from '../protocol/stand-ins.ts';
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
export function passcode(given: Secret | undefined, session: Session): Secret {
  const value = given ?? Secret.text(inventPasscode(session.context.randomBytes));
  session.secrets.add(value);
  return value;
}

/** The text of `ubifill` before encryption; undefined for none. A user of whom nothing is said is made up. */
export function userInformationText(
  options: RegistrationOptions,
  ptnCd: string,
  session: Session,
): Secret | undefined {
  if (options.noUserInfo) return undefined;
  const { email, name, phone } = options;
  const nothing = [email, name, phone].every((value) => value === undefined);
  const said = () =>
    nothing
      ? inventUserInformation(ptnCd)
      : encodeUserInformation(revealed({ email, name, phone }));
  const info = options.userInfo ?? Secret.text(said());
  hideUserInformation(info, session);
  return info;
}

/** The three attributes as they go into the text that is encrypted. */
function revealed({ email, name, phone }: Record<'email' | 'name' | 'phone', Secret | undefined>) {
  return { email: email?.reveal(), name: name?.reveal(), phone: phone?.reveal() };
}
