import { generateKeyPair } from '../client/key-pair.ts';
import {
  type SignupInput,
  type SignupOutcome,
  simulateSignup as signUp,
} from '../client/signup.ts';
import { readPrivateKey } from '../crypto/private-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { inventUserInformation } from '../protocol/stand-in-information.ts';
import { defaultClientId, inventPasscode, inventUserCode } from '../protocol/stand-ins.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import { readCipher, readUrl } from './arguments.ts';
import { type CallSummary, summariseCall } from './call-summary.ts';
import { type NetworkOptions, withTransport } from './network.ts';
import { world } from './world.ts';

/** The three attributes of the user information (2.3). */
export interface UserAttributes {
  readonly email?: string;
  readonly name?: string;
  readonly phone?: string;
}

/** Whom to sign up, and where. All but `url` is made up where it is left out. */
export interface SimulateSignupOptions extends NetworkOptions {
  /** The application's callback URL. */
  readonly url: string | URL;
  /** `authcli-client` unless told. */
  readonly clientId?: string;
  readonly ptnCd?: string;
  readonly superPasscode?: string;
  /** The user information: its attributes, or the whole text; `false` sends none. */
  readonly userInfo?: UserAttributes | string | false;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The private key whose public half is sent, PEM or Base64; a new one of 2048 bits unless told. */
  readonly privateKey?: string;
  /** Private keys whose public halves were sent earlier: a key wrapped with one of them is named. */
  readonly earlierPrivateKeys?: readonly string[];
}

interface SignupFacts {
  readonly url: string;
  readonly clientId: string;
  readonly ptnCd: string;
  readonly superPasscode: string;
  /** The text that was sent as user information. */
  readonly userInfo?: string;
  /** The callbacks that were sent, in their order: the second only if the first succeeded. */
  readonly calls: readonly CallSummary[];
}

/** The user is signed up. */
export interface SignupSuccess extends SignupFacts {
  readonly ok: true;
  /** The per-user key that the application made. */
  readonly key: string;
  readonly keyFingerprint: string;
  /** What is weak about the key, although it may be used. */
  readonly weakness?: Diagnosis;
}

/** The sign-up failed, and why. */
export interface SignupFailure extends SignupFacts {
  readonly ok: false;
  readonly diagnosis: Diagnosis;
  /** The per-user key, where it could be read all the same. */
  readonly key?: string;
  readonly keyFingerprint?: string;
}

export type SignupResult = SignupSuccess | SignupFailure;

/**
 * Plays the service at a sign-up (1.2): sends the key exchange, opens the key that comes back, and
 * sends the registration encrypted with it. Nothing is kept.
 *
 * @example
 * ```ts
 * import { simulateSignup, startApplication } from 'authcli';
 *
 * await using application = await startApplication();
 * const result = await simulateSignup({ url: application.url, ptnCd: 'alice' });
 * if (!result.ok) throw new Error(`${result.diagnosis.message} ${result.diagnosis.hint}`);
 * console.log(result.keyFingerprint);
 * ```
 *
 * @returns what became of it; `ok: false` comes with a diagnosis, also where nobody answered
 * @throws AuthcliError `usage` for options that can't be used, before anything is sent; the reason
 *   of `signal`
 */
export async function simulateSignup(options: SimulateSignupOptions): Promise<SignupResult> {
  const input = await signupInput(options);
  return withTransport(options, async (transport) =>
    toResult(await signUp(transport, input), input),
  );
}

async function signupInput(options: SimulateSignupOptions): Promise<SignupInput> {
  const { clientId = defaultClientId, privateKey, earlierPrivateKeys = [] } = options;
  const { now, randomBytes } = world;
  const ptnCd = options.ptnCd ?? inventUserCode(randomBytes);
  return {
    url: readUrl(options.url),
    clientId,
    ptnCd,
    cipher: readCipher(options.cipher),
    superPasscode: Secret.text(options.superPasscode ?? inventPasscode(randomBytes)),
    userInfo: Secret.optional(userInfoText(options.userInfo, ptnCd)),
    keyPair: privateKey === undefined ? await generateKeyPair() : readPrivateKey(privateKey).key,
    earlierKeyPairs: earlierPrivateKeys.map((text) => readPrivateKey(text).key),
    randomBytes,
    now: now(),
  };
}

function userInfoText(
  userInfo: SimulateSignupOptions['userInfo'],
  ptnCd: string,
): string | undefined {
  if (userInfo === false) return undefined;
  if (userInfo === undefined) return inventUserInformation(ptnCd);
  return typeof userInfo === 'string' ? userInfo : encodeUserInformation(userInfo);
}

function toResult(outcome: SignupOutcome, input: SignupInput): SignupResult {
  const { ok, keyFingerprint, diagnosis, steps } = outcome;
  const key = outcome.key?.reveal();
  const { url, clientId, ptnCd, superPasscode, userInfo } = input;
  const facts = {
    url: url.href,
    clientId,
    ptnCd,
    superPasscode: superPasscode.reveal(),
    ...(userInfo !== undefined && { userInfo: userInfo.reveal() }),
    calls: steps.map((step) =>
      summariseCall(step.usedType === '1' ? 'key-exchange' : 'registration', step),
    ),
  };
  if (ok && key !== undefined && keyFingerprint !== undefined) {
    const weakness = steps[0]?.diagnosis;
    return { ok, ...facts, key, keyFingerprint, ...(weakness && { weakness }) };
  }
  if (diagnosis === undefined) throw new Error('a sign-up that failed has a diagnosis');
  return { ok: false, ...facts, diagnosis, ...(key !== undefined && { key, keyFingerprint }) };
}
