import type { Cipher } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { fingerprintOfKey } from '../crypto/fingerprint.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnosis } from '../diagnosis/catalogue-entry.ts';
import { AuthcliError, type Diagnosis } from '../errors.ts';
import {
  exchangeKey,
  type KeyExchangeInput,
  type KeyExchangeOutcome,
  type RegistrationInput,
  type RegistrationOutcome,
  register,
  registrationRequest,
} from './callbacks.ts';
import type { Transport } from './transport.ts';

export {
  exchangeKey,
  type KeyExchangeInput,
  type KeyExchangeOutcome,
  keyExchangeRequest,
  type RegistrationInput,
  type RegistrationOutcome,
  register,
  registrationRequest,
} from './callbacks.ts';

/** What a sign-up needs: all of both but the key, which the application makes. */
export type SignupInput = KeyExchangeInput & Omit<RegistrationInput, 'key'>;

/** One callback of a sign-up. */
export type SignupStep = KeyExchangeOutcome | RegistrationOutcome;

/** A sign-up as far as it came. */
export interface SignupOutcome {
  readonly ok: boolean;
  readonly ptnCd: string;
  /** The per-user key, where it could be read. */
  readonly key?: Secret;
  readonly keyFingerprint?: string;
  /** The callbacks that were sent, in their order. */
  readonly steps: readonly SignupStep[];
  /** Why the sign-up failed. */
  readonly diagnosis?: Diagnosis;
}

/**
 * Plays the service at a sign-up (section 1.2): the key exchange, then the registration. The
 * second callback isn't sent if the first failed.
 * @throws AuthcliError `usage`, before anything is sent, for a passcode or user information that
 *   the cipher can't take.
 */
export async function simulateSignup(
  transport: Transport,
  input: SignupInput,
): Promise<SignupOutcome> {
  checkPlaintexts(input);
  const first = await exchangeKey(transport, input);
  const { key } = first;
  const keyFingerprint = key === undefined ? undefined : fingerprintOfKey(key.reveal());
  const learned = { ptnCd: input.ptnCd, key, keyFingerprint };
  if (!first.ok || key === undefined) {
    return { ...learned, ok: false, steps: [first], diagnosis: first.diagnosis };
  }
  const unusable = diagnoseUnusableKey({ ...input, key });
  if (unusable !== undefined) {
    return { ...learned, ok: false, steps: [first], diagnosis: unusable };
  }
  const second = await register(transport, { ...input, key });
  const failure = second.ok ? undefined : second.diagnosis;
  return { ...learned, ok: second.ok, steps: [first, second], diagnosis: failure };
}

/** Refuses what no key would help: it is encrypted once with a key that every reading of keys takes. */
function checkPlaintexts(input: SignupInput): void {
  const key = Secret.key('0'.repeat(64));
  registrationRequest({ ...input, key, randomBytes: (size) => new Uint8Array(size) });
}

/** A key that the application chose may not fit the cipher that is set here: a mismatch of both. */
function diagnoseUnusableKey(input: RegistrationInput): Diagnosis | undefined {
  try {
    registrationRequest({ ...input, randomBytes: (size) => new Uint8Array(size) });
    return undefined;
  } catch (error) {
    return unusableKey(input.cipher, error);
  }
}

/** The diagnosis of a key with which encrypting failed; any other `error` is thrown on. */
export function unusableKey(cipher: Cipher, error: unknown): Diagnosis {
  if (!(error instanceof AuthcliError) || error.code !== 'usage') throw error;
  return diagnosis(
    'cipher-mismatch',
    `The application's key doesn't go with the cipher ${formatCipher(cipher)}. ${error.message}`,
    'Set the cipher that the application uses, or have it make a key that this one takes.',
  );
}
