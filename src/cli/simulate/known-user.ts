import { readPrivateKey } from '../../crypto/key-reading.ts';
import { countCharacters, perUserKeyLength } from '../../crypto/per-user-key.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import type { Secret } from '../../crypto/secret.ts';
import { AuthcliError } from '../../errors.ts';
import type { KnownUser } from '../../protocol/user.ts';
import { counted } from '../../text.ts';
import { quote } from '../args/values.ts';
import { usage } from '../failure.ts';
import type { Next } from '../next-command.ts';
import type { Session } from '../session.ts';

/** The stored user; its secrets are redacted from now on. */
export async function findUser(ptnCd: string, session: Session): Promise<KnownUser | undefined> {
  const user = await (await session.state()).users.get(ptnCd);
  session.secrets.addUser(user);
  return user;
}

/** The stored user. Throws `unknown-user` without one. */
export async function knownUser(ptnCd: string, session: Session): Promise<KnownUser> {
  const user = await findUser(ptnCd, session);
  if (user !== undefined) return user;
  throw new AuthcliError(
    'unknown-user',
    `The user ${quote(ptnCd)} is not stored in this profile.`,
    {
      hint: '`authcli users list` lists the users of this profile; `authcli users import` adds users of another.',
    },
  );
}

/** The service key pairs of the profile, the current one first. */
export async function storedKeyPairs(session: Session): Promise<readonly RsaPrivateKey[]> {
  const pems = (await session.state()).serviceKeyPairs.list();
  for (const pem of pems) session.secrets.add(pem);
  return pems.map((pem) => readPrivateKey(pem).key);
}

/** The given key, or that of the stored user. Throws `usage` without either. */
export async function chosenKey(
  { key, ptnCd }: { readonly key?: Secret; readonly ptnCd?: string },
  session: Session,
): Promise<Secret> {
  if (key !== undefined) return key;
  if (ptnCd === undefined)
    throw usage(
      `${session.line.path} needs a per-user key.`,
      'Give --key, or --ptn-cd for a stored user.',
    );
  const user = await findUser(ptnCd, session);
  if (user !== undefined) return user.key;
  throw usage(
    `The user ${quote(ptnCd)} is not stored in this profile, so its key is unknown.`,
    'Give --key, or sign the user up first.',
    await signUpFirst(ptnCd, session),
  );
}

/** The sign-up of a user who isn't stored. It names the URL where neither this run nor the profile has one. */
export async function signUpFirst(ptnCd: string, session: Session): Promise<Next> {
  const { line, context } = session;
  const knowsUrl =
    line.flags.url ??
    context.env.AUTHCLI_URL ??
    (await session.setting('url').catch(() => undefined));
  return {
    command: 'simulate-signup',
    add: [['--ptn-cd', ptnCd], ...(knowsUrl ? [] : [['--url', 'URL'] as const])],
    without: ['--no-save'],
  };
}

/** Other lengths than 32 characters (2.2) are allowed with a note. */
export function noteKeyLength(key: Secret, session: Session): void {
  const length = countCharacters(key.reveal());
  if (length === perUserKeyLength) return;
  session.note(
    `the per-user key has ${counted(length, 'character')}; the interface requires ${perUserKeyLength} (2.2)`,
  );
}
