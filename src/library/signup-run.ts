import {
  operationOf,
  type SignupInput,
  type SignupOutcome,
  simulateSignup as signUp,
  simulatedUser,
} from '../client/signup.ts';
import { readPrivateKey } from '../crypto/key-reading.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { callbackUrl } from '../protocol/endpoints.ts';
import { defaultClientId } from '../protocol/user.ts';
import { checkOptions, environment, readCipher, summariseCall, withTransport } from './options.ts';
import type { SignupResult, SimulateSignupOptions } from './signup.ts';

/** A sign-up with its input. */
interface Signup {
  readonly outcome: SignupOutcome;
  readonly input: SignupInput;
}

/** By default with a key pair of its own. */
export async function runSignup(
  options: SimulateSignupOptions,
  keyPair: () => Promise<RsaPrivateKey> = environment.generateKeyPair,
): Promise<Signup> {
  checkOptions(options, 'url');
  const { clientId = defaultClientId, ptnCd, privateKey, earlierPrivateKeys = [] } = options;
  const { now, randomBytes } = environment;
  const superPasscode = Secret.optional(options.superPasscode);
  const userInfo =
    typeof options.userInfo === 'string' ? Secret.text(options.userInfo) : options.userInfo;
  const input = {
    url: callbackUrl(String(options.url)),
    clientId,
    ...simulatedUser({ ptnCd, superPasscode, userInfo }, randomBytes),
    cipher: readCipher(options.cipher),
    keyPair: privateKey === undefined ? await keyPair() : readPrivateKey(privateKey).key,
    earlierKeyPairs: earlierPrivateKeys.map((text) => readPrivateKey(text).key),
    randomBytes,
    now: now(),
  };
  const outcome = await withTransport(options, (transport) => signUp(transport, input));
  return { outcome, input };
}

/** The result in plain texts. */
export function toSignupResult({ outcome, input }: Signup): SignupResult {
  const { ok, diagnosis, steps } = outcome;
  const key = outcome.key?.reveal();
  const keyFingerprint = outcome.key?.toString();
  const facts = {
    url: input.url.href,
    clientId: input.clientId,
    ptnCd: input.ptnCd,
    superPasscode: input.superPasscode.reveal(),
    userInfo: input.userInfo?.reveal(),
    calls: steps.map((step) => summariseCall(operationOf(step), step)),
  };
  if (ok && key !== undefined && keyFingerprint !== undefined)
    return { ok, ...facts, key, keyFingerprint, weakness: steps[0]?.diagnosis };
  if (diagnosis === undefined) throw new Error('a sign-up that failed has a diagnosis');
  return { ok: false, ...facts, diagnosis, key, keyFingerprint };
}
