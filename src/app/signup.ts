import type { RandomBytes } from '../bytes.ts';
import type { Transport } from '../client/exchange.ts';
import {
  isDone,
  type SignupInput,
  type SignupOutcome,
  type SignupStep,
  simulateSignup,
} from '../client/signup.ts';
import { Secret } from '../crypto/secret.ts';
import type { SignupOrder } from '../emulator/control.ts';
import {
  generatePasscode,
  generateUserCode,
  generateUserInformation,
} from '../protocol/defaults.ts';
import type { KnownUser } from '../protocol/user.ts';
import { encodeUserInformation, type UserInformation } from '../protocol/user-info.ts';
import { callReport, durationOf } from '../reports/exchange.ts';
import { type Redactor, reveal } from '../reports/redact.ts';
import type { Secrets } from './environment.ts';
import { hideUserInformation } from './hide-user-information.ts';

/** The attributes of the user information (2.3). */
export type UserAttributes = Pick<UserInformation, 'email' | 'name' | 'phone'>;

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

export interface UserStore {
  put(user: KnownUser): Promise<unknown>;
}

/** Completes the user of a sign-up; its secrets are reported. */
export function simulatedUser(
  options: UserOptions,
  randomBytes: RandomBytes,
  secrets?: Secrets,
): SimulatedUser {
  const ptnCd = options.ptnCd ?? generateUserCode(randomBytes);
  const superPasscode = options.superPasscode ?? Secret.text(generatePasscode(randomBytes));
  const userInfo = userInformation(options.userInfo, ptnCd);
  secrets?.add(superPasscode);
  if (secrets !== undefined && userInfo !== undefined) hideUserInformation(userInfo, secrets);
  return { ptnCd, inventsUser: options.ptnCd === undefined, superPasscode, userInfo };
}

function userInformation(given: UserOptions['userInfo'], ptnCd: string): Secret | undefined {
  if (given === false || given instanceof Secret) return given || undefined;
  if (given !== undefined) return Secret.text(encodeUserInformation(given));
  return Secret.text(generateUserInformation(ptnCd));
}

/** The attributes if at least one is given; else undefined, so that all are invented. */
export function givenAttributes({
  email,
  name,
  phone,
}: UserAttributes): UserAttributes | undefined {
  const isGiven = [email, name, phone].some((value) => value !== undefined);
  return isGiven ? { email, name, phone } : undefined;
}

/** Signs a user up and stores what was learned of them. */
export async function signUp(
  transport: Transport,
  input: SignupInput,
  { secrets, users }: { readonly secrets: Secrets; readonly users?: UserStore | undefined },
): Promise<SignupOutcome> {
  const outcome = await simulateSignup(transport, input);
  secrets.addFromPeer(outcome.key);
  const user = signedUpUser(outcome, input);
  if (user !== undefined) await users?.put(user);
  return outcome;
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

/** Runs the sign-up that `POST /_authcli/signup` orders; its secrets are hidden in what the path returns. */
export async function runOrderedSignup(
  order: SignupOrder,
  run: (user: SimulatedUser) => Promise<SignupOutcome>,
  randomBytes: RandomBytes,
  secrets: Redactor,
): Promise<Readonly<Record<string, unknown>>> {
  const user = simulatedUser(orderedUser(order), randomBytes, secrets);
  secrets.show(user.ptnCd);
  const outcome = await run(user);
  secrets.addFromPeer(outcome.key);
  return secrets.json(orderedSignupDocument(outcome)) as Readonly<Record<string, unknown>>;
}

function orderedUser(order: SignupOrder): UserOptions {
  const { ptnCd, superPasscode, email, name, phone } = order;
  return {
    ptnCd,
    superPasscode: Secret.optional(superPasscode),
    userInfo: givenAttributes({ email, name, phone }),
  };
}

function orderedSignupDocument(outcome: SignupOutcome): Readonly<Record<string, unknown>> {
  const { ptnCd, keyFingerprint, steps, ok, diagnosis } = outcome;
  return {
    ptn_cd: reveal(ptnCd),
    key_fingerprint: keyFingerprint ?? null,
    steps: steps.map((step) => ({ operation: operationOf(step), ...stepDocument(step) })),
    signed_up: ok,
    ...(diagnosis && { diagnosis }),
  };
}

/** The operation of a callback, by its `used_type`. */
export function operationOf({ usedType }: SignupStep): 'key-exchange' | 'registration' {
  return usedType === '1' ? 'key-exchange' : 'registration';
}

/** A callback as JSON documents show it. */
export function stepDocument(step: SignupStep): Readonly<Record<string, unknown>> {
  const { http_status, code, message, diagnosis } = callReport(step);
  return {
    used_type: step.usedType,
    http_status,
    duration_ms: durationOf(step),
    code,
    message,
    ...(diagnosis && { diagnosis }),
    ...(step.notes.length > 0 && { notes: step.notes }),
  };
}
