import type { RandomBytes } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { encryptPayload } from '../crypto/payload-ciphers.ts';
import { exportPublicKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { openWrappedKey } from '../diagnosis/open-wrapped-key.ts';
import type { Diagnosis } from '../errors.ts';
import {
  encodeKeyExchangeRequest,
  type KeyExchangeResult,
  readKeyExchangeAnswer,
} from '../protocol/key-exchange.ts';
import {
  encodeRegistrationRequest,
  type RegistrationResult,
  readRegistrationAnswer,
} from '../protocol/registration.ts';
import { type CallOutcome, judgeExchange, toWireRequest } from './call.ts';
import type { Exchange, WireRequest } from './exchange.ts';
import type { Transport } from './transport.ts';

/** Whom the service calls back, and for whom. */
export interface CallbackInput {
  /** The application's callback URL. */
  readonly url: URL;
  readonly clientId: string;
  readonly ptnCd: string;
}

/** What a key exchange needs. */
export interface KeyExchangeInput extends CallbackInput {
  /** The key pair whose public half is sent. */
  readonly keyPair: RsaPrivateKey;
  /** Earlier key pairs, tried on a key that this one doesn't open. */
  readonly earlierKeyPairs?: readonly RsaPrivateKey[];
  /** Per-user keys that were seen for other users: none may come again. */
  readonly earlierKeys?: readonly string[];
  /** The instant, against which keys made of the time are recognised. */
  readonly now?: number;
}

/** What a registration needs. */
export interface RegistrationInput extends CallbackInput {
  /** The per-user key. */
  readonly key: Secret;
  readonly superPasscode: Secret;
  /** The user information as text; left out of the request if undefined. */
  readonly userInfo?: Secret;
  readonly cipher: Cipher;
  readonly randomBytes: RandomBytes;
}

/** The key exchange, its wrapped key opened. */
export interface KeyExchangeOutcome extends CallOutcome<KeyExchangeResult> {
  readonly usedType: '1';
  /** The per-user key, also where it came damaged but could be read. */
  readonly key?: Secret;
  /** Everything found out about the wrapped key and the key inside, the outermost first. */
  readonly diagnoses: readonly Diagnosis[];
}

/** The registration. */
export interface RegistrationOutcome extends CallOutcome<RegistrationResult> {
  readonly usedType: '2';
}

/** The key-exchange callback as it is sent (section 4.1.1). */
export function keyExchangeRequest(input: KeyExchangeInput): WireRequest {
  const { clientId, ptnCd, keyPair } = input;
  const publicKey = exportPublicKey(keyPair.publicKey);
  return toWireRequest(input.url, encodeKeyExchangeRequest({ clientId, ptnCd, publicKey }));
}

/**
 * The registration-complete callback as it is sent (section 4.1.2).
 * @throws AuthcliError `usage` for a key that the cipher can't use.
 */
export function registrationRequest(input: RegistrationInput): WireRequest {
  const { clientId, ptnCd, userInfo } = input;
  const partnerSp = encryptText(input.superPasscode, input);
  const ubifill = userInfo === undefined ? undefined : encryptText(userInfo, input);
  return toWireRequest(
    input.url,
    encodeRegistrationRequest({ clientId, ptnCd, partnerSp, ubifill }),
  );
}

function encryptText(text: Secret, { key, cipher, randomBytes }: RegistrationInput): string {
  return encryptPayload(Buffer.from(text.reveal(), 'utf8'), key.reveal(), cipher, randomBytes);
}

/** Sends the key-exchange callback and opens the wrapped key that comes back (section 2.2). */
export async function exchangeKey(
  transport: Transport,
  input: KeyExchangeInput,
): Promise<KeyExchangeOutcome> {
  return judgeKeyExchange(await transport.send(keyExchangeRequest(input)), input);
}

/** Judges the exchange of a key-exchange callback: the answer, and the wrapped key in it. */
export async function judgeKeyExchange(
  exchange: Exchange,
  input: Omit<KeyExchangeInput, 'url'>,
): Promise<KeyExchangeOutcome> {
  const outcome = await judgeExchange(exchange, readKeyExchangeAnswer, input.clientId);
  const usedType = '1';
  const wrapped = outcome.result?.encPartnerKey ?? outcome.reading?.seen.encPartnerKey;
  if (wrapped === undefined) return { ...outcome, usedType, diagnoses: [] };
  const finding = await openWrappedKey(wrapped, {
    privateKey: input.keyPair,
    otherPrivateKeys: input.earlierKeyPairs,
    ptnCd: input.ptnCd,
    clientId: input.clientId,
    now: input.now,
    earlierKeys: input.earlierKeys,
  });
  return {
    ...outcome,
    usedType,
    ok: outcome.ok && finding.ok,
    diagnosis: outcome.diagnosis ?? finding.diagnoses[0],
    diagnoses: finding.diagnoses,
    key: finding.key === undefined ? undefined : Secret.key(finding.key),
    notes: [...outcome.notes, ...finding.notes],
  };
}

/**
 * Sends the registration-complete callback.
 * @throws AuthcliError `usage`, before anything is sent, for a key that the cipher can't use.
 */
export async function register(
  transport: Transport,
  input: RegistrationInput,
): Promise<RegistrationOutcome> {
  return judgeRegistration(await transport.send(registrationRequest(input)));
}

/** Judges the exchange of a registration-complete callback. */
export async function judgeRegistration(exchange: Exchange): Promise<RegistrationOutcome> {
  return { ...(await judgeExchange(exchange, readRegistrationAnswer)), usedType: '2' };
}
