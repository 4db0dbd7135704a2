import {
  operationOf,
  type SignupInput,
  type SignupOutcome,
  simulateSignup as signUp,
  simulatedUser,
  type UserAttributes,
} from '../client/signup.ts';
import { readPrivateKey } from '../crypto/key-reading.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { callbackUrl } from '../protocol/endpoints.ts';
import { defaultClientId } from '../protocol/user.ts';
import {
  type CallSummary,
  checkOptions,
  environment,
  type NetworkOptions,
  readCipher,
  summariseCall,
  withTransport,
} from './options.ts';

/** All but `url` is invented by default. */
export interface SimulateSignupOptions extends NetworkOptions {
  /** The application's callback URL. */
  readonly url: string | URL;
  /** `authcli-client` by default. */
  readonly clientId?: string;
  readonly ptnCd?: string;
  readonly superPasscode?: string;
  /** Attributes, or the whole text; `false` sends none. */
  readonly userInfo?: UserAttributes | string | false;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The private key of the `public_key` to send, PEM or Base64; a new one by default. */
  readonly privateKey?: string;
  /** Private keys of earlier `public_key`s, to recognise a key wrapped with one of them. */
  readonly earlierPrivateKeys?: readonly string[];
}

export type SignupResult = {
  readonly url: string;
  readonly clientId: string;
  readonly ptnCd: string;
  readonly superPasscode: string;
  readonly userInfo?: string;
  /** The callbacks that were sent, in their order: the second only if the first succeeded. */
  readonly calls: readonly CallSummary[];
} & (
  | {
      readonly ok: true;
      /** The per-user key. */
      readonly key: string;
      readonly keyFingerprint: string;
      /** Of the key, which may be used all the same. */
      readonly weakness?: Diagnosis;
    }
  | {
      readonly ok: false;
      readonly diagnosis: Diagnosis;
      /** The per-user key, if it could be read all the same. */
      readonly key?: string;
      readonly keyFingerprint?: string;
    }
);

/**
 * Plays the service at a sign-up (1.2): sends the key exchange, decrypts the returned key, and
 * sends the registration encrypted with it. Nothing is stored.
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
 * @returns `ok: false` with a diagnosis also if there was no response
 * @throws AuthcliError `usage` for unusable options, before anything is sent; the reason of `signal`
 */
export async function simulateSignup(options: SimulateSignupOptions): Promise<SignupResult> {
  return toSignupResult(await runSignup(options));
}

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
