import { formatCipher } from '../crypto/cipher-notation.ts';
import { exportPrivateKey } from '../crypto/rsa-key.ts';
import type { LoadTask, SigninUser } from '../load/job.ts';
import { checkSignupSettings } from '../load/signup-scenario.ts';
import { tokenUrl } from '../protocol/endpoints.ts';
import { usage } from './hints.ts';
import type { LoadOptions } from './load-flags.ts';
import { makeLoadKeyPairs } from './load-key-pairs.ts';
import type { Session } from './session.ts';

/** What is loaded: the URL of the application, or of the service. Throws `usage` where none is set. */
export function targetOf({ scenario, url, authUrl }: LoadOptions): URL {
  if (scenario === 'signin') {
    if (authUrl !== undefined) return tokenUrl(authUrl);
    throw usage(
      "load --scenario signin needs --auth-url: the service's address, {auth_url}.",
      'Give --auth-url <url>, set AUTHCLI_AUTH_URL, or run `authcli config set auth-url …`.',
    );
  }
  if (url !== undefined) return url;
  throw usage(
    "load needs --url: the application's callback URL.",
    'Give --url <url>, set AUTHCLI_URL, or run `authcli config set url …`.',
  );
}

/** What the threads are to do; its secrets are known to the redactor. */
export async function taskOf(
  options: LoadOptions,
  target: URL,
  session: Session,
): Promise<LoadTask> {
  return options.scenario === 'signin'
    ? signinTask(options, session)
    : signupTask(options, target, session);
}

async function signupTask(options: LoadOptions, target: URL, session: Session): Promise<LoadTask> {
  const { clientId, cipher, saveUsers, noUserInfo } = options;
  const userInfo = noUserInfo ? null : options.userInfo?.reveal();
  checkSignupSettings({ cipher, userInfo });
  const keyPairs = await keyPairsOf(options, session);
  return {
    scenario: 'signup',
    url: target.href,
    clientId,
    cipher: formatCipher(cipher),
    keyPairs,
    userInfo,
    savesUsers: saveUsers,
  };
}

/** The private keys as PEM: given, or made for this run. */
async function keyPairsOf(
  { privateKey, keyPairs }: LoadOptions,
  session: Session,
): Promise<readonly string[]> {
  for (const note of privateKey.flatMap(({ notes }) => notes)) session.note(note);
  if (privateKey.length === 0) return makeLoadKeyPairs(keyPairs, session);
  const texts = privateKey.map(({ key }) => exportPrivateKey(key));
  for (const text of texts) session.secrets.add(text);
  return texts;
}

async function signinTask(options: LoadOptions, session: Session): Promise<LoadTask> {
  const { authUrl = '', secretKey, clientId, cipher } = options;
  if (secretKey === undefined) {
    throw usage(
      'load --scenario signin needs --secret-key: the application server secret key.',
      'Give --secret-key env:NAME, set AUTHCLI_SECRET_KEY, or run `authcli config set secret-key …`.',
    );
  }
  const ptnTokens = options.ptnTokens?.split(/\r?\n/).filter((line) => line !== '');
  for (const token of ptnTokens ?? []) session.secrets.add(token);
  const users = await knownUsers(session);
  if (users.length === 0 && (ptnTokens ?? []).length === 0) {
    throw usage(
      'Nobody can sign in: there are no tokens, and no registered user is known in the profile.',
      'Give --ptn-tokens FILE; for the emulated service, sign users up first: authcli load --signups 100 --save-users',
    );
  }
  return {
    scenario: 'signin',
    authUrl,
    clientId,
    secretKey: secretKey.reveal(),
    cipher: formatCipher(cipher),
    users,
    ...(ptnTokens !== undefined && ptnTokens.length > 0 && { ptnTokens }),
  };
}

async function knownUsers(session: Session): Promise<readonly SigninUser[]> {
  const { users } = await session.state();
  const known = users.list().filter(({ superPasscode }) => superPasscode !== undefined);
  return known.map(({ ptnCd, key, superPasscode }) => ({
    ptnCd,
    key: key.reveal(),
    superPasscode: superPasscode?.reveal(),
  }));
}
