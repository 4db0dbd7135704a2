import { encodeUtf8, type RandomBytes } from '../bytes.ts';
import { type Cipher, formatCipher } from '../crypto/cipher.ts';
import { encryptPayload, requireEncryptable } from '../crypto/payload-ciphers.ts';
import { exportPublicKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { CallbackStep, Sent } from '../diagnosis/error-situations.ts';
import { keyLeakFinder } from '../diagnosis/key-leak.ts';
import type { PerUserKeyContext } from '../diagnosis/per-user-key.ts';
import { diagnoseWrappedForm, diagnoseWrappedKey } from '../diagnosis/wrapped-key.ts';
import { type Diagnosis, type DiagnosisCode, hasCode } from '../errors.ts';
import { objectIn } from '../protocol/json.ts';
import { operations } from '../protocol/operations.ts';
import { successCode } from '../protocol/response.ts';
import {
  encodeUserInformation,
  generatePasscode,
  generateUserCode,
  generateUserInformation,
  type KnownUser,
  type UserAttributes,
} from '../protocol/user.ts';
import {
  type CallOutcome,
  judgeExchange,
  type KeyExchangeOutcome,
  type RegistrationOutcome,
  toWireRequest,
} from './call.ts';
import { type Exchange, responseOf, type Transport, type WireRequest } from './exchange.ts';

/** Whom the service calls back, and for whom. */
export interface CallbackInput {
  readonly url: URL;
  readonly clientId: string;
  readonly ptnCd: string;
  /** The application can't know the user. */
  readonly inventsUser?: boolean;
}

export interface KeyExchangeInput
  extends CallbackInput,
    Pick<PerUserKeyContext, 'earlierKeys' | 'now' | 'examinesStrength'> {
  /** The key pair whose public half is sent. */
  readonly keyPair: RsaPrivateKey;
  /** Earlier key pairs, tried on a key that this one doesn't decrypt. */
  readonly earlierKeyPairs?: readonly RsaPrivateKey[];
}

export interface RegistrationInput extends CallbackInput {
  readonly key: Secret;
  readonly superPasscode: Secret;
  /** The user information as text; left out of the request if undefined. */
  readonly userInfo?: Secret;
  readonly cipher: Cipher;
  readonly randomBytes: RandomBytes;
}

/** The key-exchange callback as it is sent (section 4.1.1). */
export function keyExchangeRequest(input: KeyExchangeInput): WireRequest {
  const { clientId, ptnCd, keyPair } = input;
  const publicKey = exportPublicKey(keyPair.publicKey);
  return toWireRequest(
    input.url,
    operations['key-exchange'].encodeRequest({ clientId, ptnCd, publicKey }),
  );
}

/**
 * The registration-complete callback as it is sent (section 4.1.2).
 * @throws AuthcliError `usage` for a key that the cipher can't use.
 */
export function registrationRequest(input: RegistrationInput): WireRequest {
  const { url, clientId, ptnCd, superPasscode, userInfo, key, cipher, randomBytes } = input;
  const encrypt = (text: Secret) =>
    encryptPayload(encodeUtf8(text.reveal()), key.reveal(), cipher, randomBytes);
  const partnerSp = encrypt(superPasscode);
  const ubifill = userInfo && encrypt(userInfo);
  return toWireRequest(
    url,
    operations.registration.encodeRequest({ clientId, ptnCd, partnerSp, ubifill }),
  );
}

/** Sends the key-exchange callback and decrypts the wrapped key that comes back (section 2.2). */
export async function exchangeKey(
  transport: Transport,
  input: KeyExchangeInput,
): Promise<KeyExchangeOutcome> {
  return judgeKeyExchange(await transport.send(keyExchangeRequest(input)), input);
}

/** What a key exchange decrypts with, and what its key is compared with. */
export interface KeyExchangeContext extends Partial<Omit<KeyExchangeInput, 'url'>> {
  /** Of the `public_key`, where its private half isn't known; empty if it can't be read. */
  readonly modulusBytes?: readonly number[];
}

/**
 * Judges a key exchange, whoever sent it, and decrypts the wrapped key of its response (section 2.2).
 * Without a key pair, only the form of the wrapped key is judged.
 */
export async function judgeKeyExchange(
  exchange: Exchange,
  input: KeyExchangeContext,
): Promise<KeyExchangeOutcome> {
  const { clientId, inventsUser, modulusBytes = [] } = input;
  const { keyPair: privateKey, earlierKeyPairs: otherPrivateKeys } = input;
  const judged = await judgeExchange(exchange, operations['key-exchange'].readResponse, {
    clientId,
    inventsUser,
  });
  const outcome = await explained(judged, 'key-exchange');
  const usedType = '1';
  const wrapped = outcome.result?.encPartnerKey ?? outcome.reading?.seen.encPartnerKey;
  const problem = outcome.reading?.problem;
  // a number can't be decoded: its type is all that is wrong with it
  const isText = problem?.kind !== 'field-type' || problem.field !== 'result.enc_partner_key';
  if (wrapped === undefined || !isText) return { usedType, diagnoses: [], ...outcome };
  const finding =
    privateKey === undefined
      ? diagnoseWrappedForm(wrapped, modulusBytes)
      : diagnoseWrappedKey(wrapped, { ...input, privateKey, otherPrivateKeys });
  const { ok, key, diagnoses, notes } = finding;
  return {
    usedType,
    diagnoses,
    key: key === undefined ? undefined : Secret.key(key),
    ...outcome,
    ok: outcome.ok && ok,
    diagnosis: outcome.diagnosis ?? diagnoses[0],
    notes: [...outcome.notes, ...notes],
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
  return judgeRegistration(await transport.send(registrationRequest(input)), input.cipher);
}

/** Judges a registration, whoever sent it. */
export async function judgeRegistration(
  exchange: Exchange,
  cipher?: Cipher,
): Promise<RegistrationOutcome> {
  const outcome = await judgeExchange(exchange, operations.registration.readResponse);
  return { usedType: '2', ...(await explained(outcome, 'registration', cipher)) };
}

/** The outcome with what its status and an error in its response mean; loaded when there is a failure. */
async function explained<T>(
  outcome: CallOutcome<T>,
  step: CallbackStep,
  cipher?: Cipher,
): Promise<CallOutcome<T>> {
  const { diagnosis, exchange, reading, ok } = outcome;
  const isFailure = !ok && reading !== undefined && reading.code !== successCode;
  if (!isFailure || diagnosis === undefined || exchange.response === undefined) return outcome;
  const { diagnoseErrorText } = await import('../diagnosis/callback-failure.ts');
  const body = Buffer.from(exchange.response.body).toString('utf8');
  const { status } = exchange.response;
  // What the application itself refuses in the words of the interface, it may refuse with any status.
  const isOwn = diagnosis.code === 'code-not-success' && [401, 403, 404].includes(status);
  const sent = { ...sentBy(exchange, step, cipher), status: isOwn ? undefined : status };
  const texts = [reading.message, body];
  return { ...outcome, diagnosis: diagnoseErrorText(diagnosis, { ...sent, texts }) };
}

/** What an error text may be about. */
export function sentBy({ request }: Exchange, step: CallbackStep, cipher?: Cipher): Sent {
  const fields = objectIn(request.body);
  const ptnCd = typeof fields?.ptn_cd === 'string' ? fields.ptn_cd : undefined;
  return { step, cipher, ptnCd, fields: fields && Object.keys(fields) };
}

/** What a sign-up needs: all of both except the key, which the application makes. */
export type SignupInput = KeyExchangeInput &
  Omit<RegistrationInput, 'key'> & {
    /** The key that the user had before; it must not be in a response either. */
    readonly earlierKey?: Secret | undefined;
  };

export type SignupStep = KeyExchangeOutcome | RegistrationOutcome;

/** A sign-up, possibly incomplete. */
export interface SignupOutcome {
  readonly ok: boolean;
  readonly ptnCd: string;
  /** The per-user key, if it could be read. */
  readonly key?: Secret;
  /** The callbacks that were sent, in their order. */
  readonly steps: readonly SignupStep[];
  readonly diagnosis?: Diagnosis;
}

/**
 * Plays the service at a sign-up (section 1.2): the key exchange, then, if it succeeded, the registration.
 * @throws AuthcliError `usage`, before anything is sent, for what the cipher can't encrypt.
 */
export async function simulateSignup(
  transport: Transport,
  input: SignupInput,
): Promise<SignupOutcome> {
  checkPlaintexts(input);
  const first = await exchangeKey(transport, input);
  return failForKeyLeak(await completeSignup(transport, input, first), input.earlierKey);
}

/**
 * Fails each callback whose response contains the key, or the user's earlier one, in plain (4.1.1
 * rule 2). A callback that failed anyway keeps its own diagnosis; the outcome has that of the leak.
 */
export function failForKeyLeak<T extends Pick<SignupOutcome, 'ok' | 'key' | 'steps' | 'diagnosis'>>(
  outcome: T,
  earlierKey?: Secret,
): T {
  const keys = [outcome.key, earlierKey].flatMap((key) => key?.reveal() ?? []);
  const findLeak = keyLeakFinder(keys);
  let leak: Diagnosis | undefined;
  const steps = outcome.steps.map((step) => {
    const response = responseOf(step.exchange);
    // There the field for the encrypted key is what contains it, which its own diagnosis says better.
    const isSaid = step.usedType === '1' && step.diagnoses.some(({ code }) => isPlainKey(code));
    const to = step.usedType === '1' ? 'the key exchange' : 'the registration';
    const diagnosis = response && !isSaid ? findLeak(response, to)?.diagnosis : undefined;
    leak ??= diagnosis;
    return diagnosis && step.ok ? { ...step, ok: false, diagnosis } : step;
  });
  return leak === undefined ? outcome : { ...outcome, ok: false, steps, diagnosis: leak };
}

const isPlainKey = (code: DiagnosisCode): boolean =>
  code === 'plain-key' || code === 'base64-of-plain-key';

/** Whether the application accepted the callback, and did nothing wrong except show the key. */
export function isDone(step: SignupStep | undefined): boolean {
  return step?.ok === true || step?.diagnosis?.code === 'key-leaked';
}

/** Continues a sign-up after its key exchange. */
export async function completeSignup(
  transport: Transport,
  input: SignupInput,
  first: KeyExchangeOutcome,
): Promise<SignupOutcome> {
  const { key } = first;
  const { ptnCd } = input;
  const failed = { ok: false, ptnCd, key, steps: [first] };
  if (!first.ok || key === undefined) return { ...failed, diagnosis: first.diagnosis };
  let request: WireRequest;
  try {
    request = registrationRequest({ key, ...input });
  } catch (error) {
    // the application chose a key that doesn't fit the cipher set here
    if (!hasCode(error, 'usage')) throw error;
    const misfit = `The application's key doesn't fit the cipher ${formatCipher(input.cipher)}.`;
    const fix =
      'Set the cipher that the application uses, or have it make a key that this one takes.';
    return {
      ...failed,
      diagnosis: diagnosis('cipher-mismatch', `${misfit} ${error.message}`, fix),
    };
  }
  const second = await judgeRegistration(await transport.send(request), input.cipher);
  const failure = second.ok ? undefined : second.diagnosis;
  return { ok: second.ok, ptnCd, key, steps: [first, second], diagnosis: failure };
}

/**
 * Refuses what no key could encrypt.
 * @throws AuthcliError `usage` for a passcode or user information that the cipher can't take.
 */
export function checkPlaintexts(
  input: Pick<SignupInput, 'cipher' | 'superPasscode' | 'userInfo'>,
): void {
  for (const text of [input.superPasscode, input.userInfo])
    if (text !== undefined) requireEncryptable(encodeUtf8(text.reveal()), input.cipher);
}

/** Who signs up; anything undefined is invented. */
export interface UserOptions {
  readonly ptnCd?: string | undefined;
  readonly superPasscode?: Secret | undefined;
  /** The whole text, or its attributes; `false` sends none. */
  readonly userInfo?: Secret | UserAttributes | false | undefined;
}

export type SimulatedUser = Pick<
  SignupInput,
  'ptnCd' | 'inventsUser' | 'superPasscode' | 'userInfo'
>;

/** Completes the user of a sign-up. */
export function simulatedUser(options: UserOptions, randomBytes: RandomBytes): SimulatedUser {
  const ptnCd = options.ptnCd ?? generateUserCode(randomBytes);
  const superPasscode = options.superPasscode ?? Secret.text(generatePasscode(randomBytes));
  const userInfo = userInformation(options.userInfo, ptnCd);
  return { ptnCd, inventsUser: options.ptnCd === undefined, superPasscode, userInfo };
}

function userInformation(given: UserOptions['userInfo'], ptnCd: string): Secret | undefined {
  if (given === false || given instanceof Secret) return given || undefined;
  const isGiven = Object.values(given ?? {}).some((value) => value !== undefined);
  return Secret.text(isGiven ? encodeUserInformation(given ?? {}) : generateUserInformation(ptnCd));
}

/** The user as known after a sign-up; undefined if the key exchange failed. */
export function signedUpUser(
  { steps: [first, second], key }: Pick<SignupOutcome, 'steps' | 'key'>,
  { ptnCd, superPasscode, userInfo }: SimulatedUser,
): KnownUser | undefined {
  if (!isDone(first) || key === undefined) return undefined;
  if (!isDone(second)) return { ptnCd, key, state: 'known' };
  const deliveredPasscode = superPasscode;
  return { ptnCd, key, superPasscode, deliveredPasscode, userInfo, state: 'registered' };
}

/** The operation of a callback, by its `used_type`. */
export function operationOf({ usedType }: SignupStep): CallbackStep {
  return usedType === '1' ? 'key-exchange' : 'registration';
}
