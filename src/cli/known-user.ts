import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { readUserInformation } from '../protocol/user-info.ts';
import type { StoredUser } from '../state/users.ts';
import { excerptOf } from '../text.ts';
import { usage } from './hints.ts';
import type { Session } from './session.ts';

/** What names a user or a key on the command line. */
export interface KeyChoice {
  readonly key?: Secret;
  readonly ptnCd?: string;
}

/** The user of the local state, its secrets known to the redactor; undefined if there is none. */
export async function findUser(ptnCd: string, session: Session): Promise<StoredUser | undefined> {
  const user = await (await session.state()).users.get(ptnCd);
  session.secrets.add(user?.key);
  session.secrets.add(user?.superPasscode);
  session.secrets.add(user?.deliveredPasscode);
  if (user?.userInfo !== undefined) hideUserInformation(user.userInfo, session);
  return user;
}

/** Makes user information a secret of the run: the text as a whole, and each attribute in it. */
export function hideUserInformation(info: Secret, { secrets }: Session): void {
  const text = info.reveal();
  const { email, name, phone } = readUserInformation(text);
  for (const secret of [text, email, name, phone]) secrets.add(secret);
}

/** The user of the local state. Throws `unknown-user` if it knows none of that code. */
export async function knownUser(ptnCd: string, session: Session): Promise<StoredUser> {
  const user = await findUser(ptnCd, session);
  if (user !== undefined) return user;
  throw new AuthcliError('unknown-user', `The user ${quoted(ptnCd)} is not known here.`, {
    hint: '`authcli users list` shows the users of this profile; `authcli users import` takes them over from another.',
  });
}

/** The per-user key: given, or the one known of the user. Throws `usage` if neither is there. */
export async function chosenKey(
  choice: KeyChoice,
  command: string,
  session: Session,
): Promise<Secret> {
  if (choice.key === undefined && choice.ptnCd === undefined) {
    throw usage(
      `${command} needs a per-user key.`,
      'Give --key, or --ptn-cd for a user that is known here.',
    );
  }
  const key = choice.key ?? (await findUser(choice.ptnCd ?? '', session))?.key;
  if (key === undefined) {
    throw usage(
      `The user ${quoted(choice.ptnCd ?? '')} is not known here, so its key isn't either.`,
      'Give --key, or sign the user up first: authcli simulate-signup',
    );
  }
  return key;
}

function quoted(ptnCd: string): string {
  return JSON.stringify(excerptOf(ptnCd, 60));
}

/** A per-user key has 32 characters (2.2); any other is used all the same, and remarked on. */
export function noteKeyLength(key: Secret, session: Session): void {
  const length = countCharacters(key.reveal());
  if (length === perUserKeyLength) return;
  session.note(
    `the per-user key has ${length} characters; the interface says ${perUserKeyLength} (2.2)`,
  );
}
