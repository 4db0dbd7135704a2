import { decodeUtf8 } from '../../bytes.ts';
import type { CallOutcome } from '../../client/call.ts';
import { headerOf, type Transport, type WireRequest } from '../../client/exchange.ts';
import {
  simulatedUser as completeUser,
  type KeyExchangeInput,
  operationOf,
  type SignupInput,
  type SignupOutcome,
  type SignupStep,
  type SimulatedUser,
  signedUpUser,
  simulateSignup,
} from '../../client/signup.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { readPrivateKey } from '../../crypto/key-reading.ts';
import { exportPrivateKey } from '../../crypto/rsa-key.ts';
import { Secret } from '../../crypto/secret.ts';
import type { SignupOrder } from '../../emulator/control.ts';
import type { Diagnosis } from '../../errors.ts';
import { generateUserCode, type KnownUser } from '../../protocol/user.ts';
import { callLine, orderedSignupDocument, stepDocument } from '../../reports/exchange.ts';
import type { Style } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { confirmation, type Line, type Outcome } from '../command.ts';
import { emulatedRefusal } from '../emulated-refusal.ts';
import type { Failure } from '../failure.ts';
import type { Network } from '../network.ts';
import type { Session } from '../session.ts';
import { findUser, storedKeyPairs } from './known-user.ts';
import { type ProbeInput, probed } from './probe.ts';
import type { KeyPairOptions, RegistrationOptions } from './simulation-flags.ts';

interface SignupTarget {
  readonly url: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
}

/** What a sign-up sends. */
export async function signupInput(
  user: SimulatedUser,
  { url, clientId, cipher }: SignupTarget,
  keyPairOptions: Partial<KeyPairOptions>,
  session: Session,
): Promise<SignupInput> {
  const { randomBytes, now } = session.context;
  const pairs = await keyPairs(keyPairOptions, session);
  const earlierKey = (await findUser(user.ptnCd, session))?.key;
  return { url, clientId, cipher, ...user, ...pairs, earlierKey, randomBytes, now: now() };
}

/** User codes are public. */
export function userCode(given: string | undefined, { context, secrets }: Session): string {
  const ptnCd = given ?? generateUserCode(context.randomBytes);
  secrets.show(ptnCd);
  return ptnCd;
}

/** The user of the flags; missing values are invented. */
export function simulatedUser(
  options: RegistrationOptions & { readonly ptnCd?: string | undefined },
  { context, secrets }: Session,
): SimulatedUser {
  const { ptnCd, superPasscode, noUserInfo, email, name, phone } = options;
  const attributes = {
    email: email?.reveal(),
    name: name?.reveal(),
    phone: phone?.reveal(),
  };
  const userInfo = noUserInfo ? false : (options.userInfo ?? attributes);
  const user = completeUser({ ptnCd, superPasscode, userInfo }, context.randomBytes);
  secrets.addUser(user);
  return user;
}

export async function storeUser(user: KnownUser, session: Session): Promise<void> {
  await (await session.state()).users.put(user);
}

/** Signs a user up and stores what was learned of them. */
export async function signUp(
  transport: Transport,
  input: SignupInput,
  { noSave }: { readonly noSave: boolean },
  session: Session,
): Promise<SignupOutcome> {
  const outcome = await simulateSignup(transport, input);
  session.secrets.addFromPeer(outcome.key);
  const user = noSave ? undefined : signedUpUser(outcome, input);
  if (user !== undefined) await storeUser(user, session);
  return outcome;
}

/** Runs a sign-up ordered by POST /_authcli/signup over a transport of its own, and stores the user. */
export async function orderedSignup(
  order: SignupOrder,
  settings: SignupTarget & { readonly transport: Transport },
  onOutcome: (outcome: SignupOutcome) => void,
  session: Session,
): Promise<Readonly<Record<string, unknown>>> {
  const { context, secrets } = session;
  const { transport } = settings;
  const { ptnCd, email, name, phone } = order;
  const superPasscode = Secret.optional(order.superPasscode);
  const given = { ptnCd, superPasscode, userInfo: { email, name, phone } };
  const user = completeUser(given, context.randomBytes);
  secrets.addUser(user);
  const input = await signupInput(user, settings, {}, session);
  const signedUp = signUp(transport, input, { noSave: false }, session);
  const outcome = await signedUp.finally(() => transport.close());
  onOutcome(outcome);
  await session.warnOfState();
  await remarkOn(outcome.steps, session);
  return orderedSignupDocument(outcome, secrets);
}

const usualKeyBits = 2048;

/**
 * The given key pairs, or that of the profile, which is generated once. One of another size is used once: the profile
 * keeps its own.
 */
export async function keyPairs(
  { privateKey = [], keyBits, noSave = false, dryRun = false }: Partial<KeyPairOptions>,
  session: Session,
): Promise<Pick<KeyExchangeInput, 'keyPair' | 'earlierKeyPairs'>> {
  for (const note of privateKey.flatMap(({ notes }) => notes)) session.note(note);
  const [given, ...others] = privateKey.map(({ key }) => key);
  if (given !== undefined) return { keyPair: given, earlierKeyPairs: others };
  const stored = await storedKeyPairs(session);
  const fitting = stored.find(
    ({ modulusBits }) => keyBits === undefined || keyBits === modulusBits,
  );
  if (fitting !== undefined)
    return { keyPair: fitting, earlierKeyPairs: stored.filter((pair) => pair !== fitting) };
  const bits = keyBits ?? usualKeyBits;
  const progress = session.progress('Generating a service key pair');
  const made = await session.context.generateKeyPair(bits).finally(() => progress.stop());
  const pem = exportPrivateKey(made);
  session.secrets.add(pem);
  const own = { keyPair: made, earlierKeyPairs: stored };
  if (noSave || dryRun) return own;
  const { serviceKeyPairs } = await session.state();
  if (stored.length > 0 || bits !== usualKeyBits) {
    await serviceKeyPairs.putEarlier(pem);
    return own;
  }
  const first = await serviceKeyPairs.putFirst(pem); // another process may have been first
  if (first === pem) return own;
  session.secrets.add(first);
  return { keyPair: readPrivateKey(first).key, earlierKeyPairs: [] };
}

/** What was simulated, and how it is reported. */
export interface Simulation extends Pick<SignupOutcome, 'ok' | 'key' | 'steps'> {
  /** "Sign-up of", before the user code. */
  readonly title: string;
  readonly input: ProbeInput;
  /** Why it failed; beside `ok`, a weakness. */
  readonly diagnosis?: (Diagnosis & Pick<Failure, 'next'>) | undefined;
  /** Takes the escaped user code and the fingerprint of the key. */
  readonly success: (user: string, fingerprint: string | undefined) => string;
}

/**
 * Judges a simulation by what the application's log says of a failure, and by what a probe with test users shows. Notes
 * and a weakness of the key are printed on standard error.
 */
export async function simulationOutcome(
  simulation: Simulation,
  { probe }: { readonly probe: boolean },
  network: Network,
  session: Session,
): Promise<Outcome> {
  const judged = await probed(withLog(simulation, network), probe, network, session);
  const { title, input, ok, steps, key, success } = judged;
  const { superPasscode } = input;
  const { style } = session;
  const user = escapeControls(input.ptnCd);
  const fingerprint = key?.toString();
  await remarkOn(steps, session);
  // What failed beside a leak, which is the error.
  for (const { ok: isDone, diagnosis } of judged.diagnosis?.code === 'key-leaked' ? steps : [])
    if (!isDone && diagnosis && diagnosis.code !== 'key-leaked') await session.warnOf(diagnosis);
  return {
    fields: {
      ptn_cd: reveal(input.ptnCd),
      client_id: reveal(input.clientId),
      url: input.url.href,
      key_fingerprint: fingerprint ?? null,
      steps: steps.map(stepDocument),
      ...(session.showsSecrets && {
        key: key?.reveal(),
        ...(superPasscode && { super_passcode: superPasscode.reveal() }),
      }),
    },
    lines: [
      confirmation(`${title} ${style.bold(user)} at ${input.url.href}`),
      ...steps.map((step) => exchangeLine(operationOf(step).replace('-', ' '), step, style)),
      ...(ok ? [session.done(success(user, fingerprint))] : []),
    ],
    failure: ok ? undefined : failureOf(judged),
  };
}

/** The simulation with what the application's log says of the callback that failed. */
function withLog(simulation: Simulation, network: Network): Simulation {
  const { ok, steps, diagnosis, input } = simulation;
  const last = steps.at(-1);
  if (ok || diagnosis === undefined || last === undefined) return simulation;
  const call = { operation: operationOf(last), exchange: last.exchange };
  const explained = network.explain(diagnosis, call, input.cipher);
  return {
    ...simulation,
    diagnosis: explained,
    steps: steps.with(-1, { ...last, diagnosis: explained }),
  };
}

/** What the emulated application refuses has a fix of its own, by its code, unless an experiment found more. */
function failureOf({ steps, diagnosis }: Simulation): Failure | undefined {
  const last = steps.at(-1);
  const isOpen = diagnosis?.code === 'code-not-success' && !diagnosis.evidence?.experiment;
  if (!isOpen || last === undefined) return diagnosis;
  return emulatedRefusal(diagnosis, last, 'application') ?? diagnosis;
}

/** A call in one line; of one that is right, only a confirmation. */
export function exchangeLine(name: string, call: CallOutcome<unknown>, style: Style): Line {
  const line = callLine(name, call, style);
  return call.ok ? confirmation(line) : line;
}

async function remarkOn(steps: readonly SignupStep[], session: Session): Promise<void> {
  for (const note of steps.flatMap(({ notes }) => notes)) session.note(note);
  const weakness = steps.find(({ ok, diagnosis }) => ok && diagnosis)?.diagnosis;
  if (weakness !== undefined) await session.warnOf(weakness);
}

/** The requests of --dry-run. */
export function dryRun(
  requests: readonly WireRequest[],
  ptnCd: string,
  { style }: Session,
): Outcome {
  const shown = requests.map(({ method, url, headers, body }) => ({
    method,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: JSON.parse(decodeUtf8(body) ?? 'null') as unknown,
  }));
  return {
    fields: { dry_run: true, ptn_cd: ptnCd, requests: shown },
    lines: [
      ...requests.flatMap(({ method, url, headers }, index) => [
        style.bold(`${method} ${url.href}`),
        `Content-type: ${headerOf(headers, 'content-type')}`,
        '',
        JSON.stringify(shown[index]?.body, null, 2),
        '',
      ]),
      'Nothing was sent.',
    ],
  };
}
