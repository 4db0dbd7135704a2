import { signIn, type UserSecrets } from '../client/signin.ts';
import { simulateSignup } from '../client/signup.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/private-key.ts';
import { Secret } from '../crypto/secret.ts';
import { issuePtnToken } from '../emulator/ptn-token.ts';
import type { LoadTask, SigninJob, SigninUser, SignupJob } from '../load/job.ts';
import type { LoadOptions } from './load-flags.ts';
import { openNetwork } from './network.ts';
import type { Session } from './session.ts';
import { passcode, userCode } from './simulated-user.ts';

/**
 * The requests of a load are too many to be shown: where they are to be shown, one sign-up or sign-in
 * is made before the run and stands for all.
 */
export async function showOne(
  options: LoadOptions,
  target: URL,
  task: LoadTask,
  session: Session,
): Promise<void> {
  if (!session.global.trace && !options.curl && options.har === undefined) return;
  const transport = await openNetwork(options, session);
  if (task.scenario === 'signin') {
    await signIn(transport, signinOf(task, session));
    return;
  }
  const outcome = await simulateSignup(transport, signupOf(task, target, session));
  session.secrets.add(outcome.key);
}

function signupOf(task: SignupJob, url: URL, session: Session) {
  const [pem = ''] = task.keyPairs;
  return {
    url,
    clientId: task.clientId,
    ptnCd: userCode(undefined, session),
    keyPair: readPrivateKey(pem).key,
    superPasscode: passcode(undefined, session),
    userInfo: Secret.optional(task.userInfo ?? undefined),
    cipher: parseCipher(task.cipher),
    randomBytes: session.context.randomBytes,
    now: session.context.now(),
  };
}

function signinOf(task: SigninJob, { context, secrets }: Session) {
  const { authUrl, clientId, ptnTokens = [], users } = task;
  const secretKey = Secret.text(task.secretKey);
  const environment = { now: context.now(), randomBytes: context.randomBytes };
  const ptnToken = Secret.text(
    ptnTokens[0] ?? issuePtnToken(users[0]?.ptnCd ?? '', { clientId, secretKey }, environment),
  );
  secrets.add(ptnToken);
  return {
    authUrl,
    clientId,
    secretKey,
    ptnToken,
    cipher: parseCipher(task.cipher),
    lookUpUser: (ptnCd: string) => secretsOf(users.find((user) => user.ptnCd === ptnCd)),
  };
}

/** A task holds texts, since only those can be handed to a thread. */
function secretsOf(user: SigninUser | undefined): UserSecrets {
  if (user === undefined) return {};
  return { key: Secret.optional(user.key), superPasscode: Secret.optional(user.superPasscode) };
}
