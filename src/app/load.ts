import { type SigninInput, signIn } from '../client/signin.ts';
import type { SignupInput } from '../client/signup.ts';
import type { Transport } from '../client/transport.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/key-reading.ts';
import { Secret } from '../crypto/secret.ts';
import type { LoadTask, SigninJob, SignupJob } from '../load/job.ts';
import type { Environment, Secrets } from './environment.ts';
import { issueToken } from './signin.ts';
import { signUp, simulatedUser } from './signup.ts';

/** Runs one sign-up or sign-in of a load, to be recorded: the exchanges of the load are too many. */
export async function runSample(
  transport: Transport,
  task: LoadTask,
  environment: Environment,
  secrets: Secrets,
): Promise<void> {
  if (task.scenario === 'signin') {
    await signIn(transport, signinInput(task, environment, secrets));
  } else {
    await signUp(transport, signupInput(task, environment, secrets), { secrets });
  }
}

function signupInput(
  { keyPairs: [pem = ''], url, clientId, cipher, userInfo }: SignupJob,
  { now, randomBytes }: Environment,
  secrets: Secrets,
): SignupInput {
  const given = userInfo === null ? false : Secret.optional(userInfo);
  return {
    url: new URL(url),
    clientId,
    ...simulatedUser({ userInfo: given }, randomBytes, secrets),
    keyPair: readPrivateKey(pem).key,
    cipher: parseCipher(cipher),
    randomBytes,
    now: now(),
  };
}

function signinInput(task: SigninJob, environment: Environment, secrets: Secrets): SigninInput {
  const { authUrl, clientId, ptnTokens = [], users } = task;
  const secretKey = Secret.text(task.secretKey);
  const ptnCd = users[0]?.ptnCd ?? '';
  const token = ptnTokens[0] ?? issueToken({ ptnCd, clientId, secretKey }, environment, secrets);
  return {
    authUrl,
    clientId,
    secretKey,
    ptnToken: Secret.text(token),
    cipher: parseCipher(task.cipher),
    lookUpUser: (named) => {
      const user = users.find((known) => known.ptnCd === named);
      return {
        key: Secret.optional(user?.key),
        superPasscode: Secret.optional(user?.superPasscode),
      };
    },
  };
}
