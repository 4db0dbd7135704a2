import { encodeHex } from '../bytes.ts';
import type { CallOutcome, KeyExchangeOutcome } from '../client/call.ts';
import { type Exchange, responseOf, statusOf, type WireRequest } from '../client/exchange.ts';
import { judgeKeyExchange, judgeRegistration } from '../client/signup.ts';
import { checkHeader, type TestUsers } from '../conformance/context.ts';
import { describeResponse, diagnoseEnvelope, isAccepted } from '../conformance/expect.ts';
import { isMalformedName, malformedPart } from '../conformance/malformed.ts';
import { diagnoseAccepted } from '../diagnosis/accepted-input.ts';
import { diagnose } from '../diagnosis/catalogue.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { keyLeakFinder } from '../diagnosis/key-leak.ts';
import { type Diagnosis, hasCode } from '../errors.ts';
import { keepingLatest } from '../latest-results.ts';
import { capitalised } from '../text.ts';
import { type Coverage, pairName } from './coverage.ts';
import {
  type Expectation,
  type KeyPolicy,
  knownUsers,
  type ModelEvent,
  type ModelRequest,
  nameOfState,
} from './model.ts';
import { type Built, findOperation, type Operation, type Scene } from './operations.ts';
import type { Sequence, Step } from './sequence.ts';
import { codeKindOf, codesOf, isOdd } from './user-codes.ts';

/** Sends a request on a kept connection or on a new one; see {@link Transport.send}. */
export type Send = (request: WireRequest, connection: 'kept' | 'fresh') => Promise<Exchange>;

export interface SentStep {
  readonly step: Step;
  readonly operation: Operation;
  /** The number of its round, from 0; others of the same were under way at the same time. */
  readonly round: number;
  readonly ptnCd: string;
  readonly expected: Expectation;
  readonly built: Built;
  /** What the model has to know about it. */
  readonly asked: ModelRequest;
  readonly key?: string;
  readonly outcome: CallOutcome<object>;
}

/** A sequence as it went, up to the first violation. */
export interface Execution {
  /** What could be sent; steps that no longer fit are left out. */
  readonly sent: readonly SentStep[];
  readonly violation?: Violation;
  /** The endpoint limits the rate of requests (HTTP 429), which the interface leaves open. */
  readonly isLimited: boolean;
}

export type Execute = (sequence: Sequence) => Promise<Execution>;

export interface Executed {
  readonly sequence: Sequence;
  readonly execution: Execution;
}

export interface Violation {
  /** The steps that show it: one, or those of one user that were under way at the same time. */
  readonly steps: readonly SentStep[];
  /** "a registration was refused" */
  readonly title: string;
  readonly expected: string;
  readonly why: string;
  readonly observed: string;
  readonly diagnosis?: Diagnosis;
}

/** The endpoint, and the parts of requests to it. */
export interface Endpoint
  extends Pick<Scene, 'url' | 'clientId' | 'cipher' | 'keyPairs' | 'randomBytes' | 'now'> {
  readonly send: Send;
  /** Users who may sign up; new ones for each execution by default. */
  readonly given?: TestUsers | undefined;
  /** Learns every key, so that it can be hidden. */
  readonly onKey: (key: string) => void;
  /** Called before each sequence. */
  readonly prepare?: (() => Promise<void>) | undefined;
}

/** What every execution of a sequence needs. */
export interface World extends Endpoint {
  /** Whether a user with a code of this variant can sign up alone. */
  readonly acceptsCode: (variant: string) => Promise<boolean>;
}

/** Sends a sequence to users of its own, and compares each response with the model. */
export async function execute(
  sequence: Sequence,
  world: World,
  policy: KeyPolicy,
  coverage?: Coverage,
): Promise<Execution> {
  const odd = new Set(sequence.users.flatMap((user) => (isOdd(user) ? user.variant : [])));
  const refused = new Set<string>();
  for (const variant of odd) {
    if (!(await world.acceptsCode(variant))) refused.add(variant);
  }
  // Afterwards: what these sign-ups leave behind must not explain a failure that is then shrunk.
  await world.prepare?.();
  const known = knownUsers(policy);
  const { users, rounds } = sequence;
  const { given } = world;
  const codes = given
    ? (given.forCheck('', Math.min(users.length, given.limit ?? 0)) ?? [])
    : codesOf(users, encodeHex(world.randomBytes(8)));
  const keys = new Map<number, readonly string[]>();
  const keysOf = (user: number) => keys.get(user) ?? [];
  const acceptedOf = new Map<number, Scene['accepted']>();
  const allKeys: string[] = [];
  /** Each key is looked for in many responses, and its forms take long to make. */
  const finderOf = keepingLatest(2 * searchedKeys, (key: string) => keyLeakFinder([key]));

  const isKnown = (user: number, round: readonly Step[]): boolean | 'unsure' => {
    const states = known.statesOf(user);
    if (states.every((state) => state.keys.length > 0)) return true;
    const isUnderWay = round.length > 1 && round.some((step) => step.user === user);
    const isUnsure = states.some((state) => state.keys.length > 0) || isUnderWay;
    return isUnsure ? 'unsure' : false;
  };

  /** A key of a cipher that can't use it is not a reason to end: such a step isn't sent. */
  const build = async (operation: Operation, step: Step): Promise<Built | undefined> => {
    const own = keysOf(step.user);
    const states = known.statesOf(step.user);
    const stored = states.map((state) => state.keys.at(-1));
    const scene = {
      ...world,
      ptnCd: codes[step.user] ?? '',
      keys: own,
      stored: own.filter((key) => stored.includes(key)),
      // A user whose code is given may have been here before.
      isUnknown: given === undefined && states.every((state) => state.keys.length === 0),
      accepted: acceptedOf.get(step.user),
      keysOf,
    };
    try {
      return await operation.build(scene, step);
    } catch (error) {
      if (hasCode(error, 'usage')) return undefined;
      throw error;
    }
  };

  const prepare = async (steps: readonly Step[], round: number): Promise<readonly Prepared[]> => {
    const prepared: Prepared[] = [];
    for (const step of steps) {
      const ptnCd = codes[step.user] ?? '';
      const operation = ptnCd ? findOperation(step.operation) : undefined;
      const built = operation && (await build(operation, step));
      if (operation === undefined || built === undefined) continue;
      const code = codeKindOf(users, step.user, refused, (user) => isKnown(user, steps));
      // One who gets a key at the same time may decrypt by chance what no known key does.
      const isVague = steps.some(
        (other) => other.user === step.user && other.operation.startsWith('key-exchange/'),
      );
      const untelling = isVague ? { isTelling: false } : {};
      const asked = { operation: operation.id, code, ...built.model, ...untelling } as ModelRequest;
      const expected = known.expectOf(step.user, asked);
      prepared.push({ step, operation, round, ptnCd, built, expected, asked });
      const [state] = known.statesOf(step.user);
      if (state !== undefined) {
        coverage?.count(pairName(operation.id, nameOfState(state), steps.length > 1));
      }
    }
    return prepared;
  };

  const send = async (prepared: Prepared): Promise<SentStep> => {
    const { built, ptnCd, operation, step } = prepared;
    const { clientId, cipher, keyPairs } = world;
    const headers = [...built.request.headers, [checkHeader, `explore/${operation.id}`] as const];
    const connection = step.fresh ? 'fresh' : 'kept';
    const exchange = await world.send({ ...built.request, headers }, connection);
    if (built.model.kind === 'registration') {
      return { ...prepared, outcome: await judgeRegistration(exchange, cipher) };
    }
    const keyPair = built.keyPair ?? (await keyPairs('usual'));
    const context = { keyPair, clientId, ptnCd, now: world.now(), examinesStrength: false };
    const outcome = await judgeKeyExchange(exchange, context);
    const key = outcome.key?.reveal();
    if (key !== undefined) world.onKey(key);
    return { ...prepared, outcome, key };
  };

  const eventOf = (step: SentStep, isRight: boolean): ModelEvent => {
    const verdict = isRight ? 'accepted' : 'refused';
    const { user } = step.step;
    const { built, key, asked: request } = step;
    if (isRight && built.model.kind === 'registration' && built.model.key !== undefined) {
      acceptedOf.set(user, { request: built.request, key: built.model.key });
    }
    if (!isRight || built.model.kind === 'registration' || key === undefined) {
      return { request, verdict };
    }
    allKeys.push(key);
    keys.set(user, [...keysOf(user), key]);
    return { request, verdict, key };
  };

  const leakIn = (step: SentStep): Flaw | undefined => {
    const response = responseOf(step.outcome.exchange);
    if (response === undefined || isPlainWrap(step.outcome)) return undefined;
    const recent = allKeys.slice(-searchedKeys);
    if (step.key !== undefined) recent.push(step.key);
    const { about } = step.operation;
    const leak = recent.map((key) => finderOf(key)(response, about)).find(Boolean);
    if (leak === undefined) return undefined;
    return {
      title: `${about} shows a per-user key`,
      expected: 'no plain per-user key in any response',
      why: 'The plain key must never appear in the response (4.1.1).',
      observed: `one in the response, ${leak.form}`,
      diagnosis: leak.diagnosis,
    };
  };

  const judge = (sent: readonly SentStep[]): Violation | undefined => {
    let flaw: Violation | undefined;
    const events = new Map<number, ModelEvent[]>();
    for (const step of sent) {
      const isRight = isAccepted(step.outcome);
      const leak = leakIn(step);
      const found = (isRight ? flawOfAccepted(step, allKeys) : undefined) ?? leak;
      flaw ??= found && { steps: [step], ...found };
      const { user } = step.step;
      events.set(user, [...(events.get(user) ?? []), eventOf(step, isRight)]);
    }
    const wrong = known.judge(events);
    return wrong === undefined ? flaw : unexpected(sent.filter(({ step }) => step.user === wrong));
  };

  // The rounds, the steps of each at the same time, until one of them shows a violation.
  const all: SentStep[] = [];
  for (const [number, steps] of rounds.entries()) {
    const sent = await Promise.all((await prepare(steps, number)).map(send));
    all.push(...sent);
    const isLimited = sent.some(({ outcome }) => statusOf(outcome.exchange) === 429);
    const violation = isLimited ? undefined : judge(sent);
    if (isLimited || violation !== undefined) return { sent: all, violation, isLimited };
  }
  return { sent: all, isLimited: false };
}

type Prepared = Omit<SentStep, 'outcome' | 'key'>;

/** What a response shows by itself. */
type Flaw = Omit<Violation, 'steps'>;

/** How many keys, the latest, are looked for in each response. */
const searchedKeys = 24;

/** The field for the encrypted key contains a plain one, which its own diagnosis says better. */
function isPlainWrap(outcome: CallOutcome<object>): boolean {
  const { diagnoses = [] } = outcome as Partial<KeyExchangeOutcome>;
  return diagnoses.some(({ code }) => code === 'plain-key' || code === 'base64-of-plain-key');
}

/** No order of these callbacks explains their responses. */
function unexpected(steps: readonly SentStep[]): Violation {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) {
    const { operation, expected, outcome } = only;
    const verb = isAccepted(outcome) ? 'was accepted' : 'was not accepted';
    return {
      steps,
      title: `${operation.about} ${verb}`,
      expected: expected.verdict === 'accepted' ? 'code "0000"' : 'a code other than "0000"',
      why: expected.why,
      observed: describeResponse(outcome),
      diagnosis: diagnosisOfCallback(only),
    };
  }
  const abouts = steps.map(({ operation }) => operation.about);
  const observed = steps.map(
    ({ operation, outcome }) => `${operation.about}: ${describeResponse(outcome)}`,
  );
  const failed = steps.find(isWronglyRefused);
  return {
    steps,
    title: `The responses to ${steps.length} simultaneous callbacks of one user fit no order of them (${abouts.join(', ')})`,
    expected: 'responses that fit some order of these callbacks',
    why: 'Requests at the same time may arrive in any order, but each must find what those before it left.',
    observed: observed.join('; '),
    diagnosis: failed?.outcome.diagnosis,
  };
}

function diagnosisOfCallback({
  operation,
  built: { model },
  expected,
  outcome,
}: SentStep): Diagnosis | undefined {
  const about = capitalised(operation.about);
  if (model.form === 'odd' && expected.verdict !== 'open') {
    const message = `${about} is accepted at one time and refused at another.`;
    return diagnosis('accepted-bad-input', message, refuseAlways);
  }
  if (!isAccepted(outcome)) return outcome.diagnosis;
  const message = `${about} was answered with code "0000".`;
  const name = operation.id.slice(operation.id.indexOf('/') + 1);
  if (name === 'undecryptable-partner-sp') return diagnose('never-decrypts', message);
  const [part, isMissing] = isMalformedName(name) ? malformedPart(name) : [];
  return diagnoseAccepted(message, part, isMissing);
}

/** An application that never decrypts needs no more than a key exchange to show that. */
export function diagnoseSometimesDecrypted({ sent, violation }: Execution): Diagnosis | undefined {
  const found = violation?.diagnosis;
  if (found?.code !== 'never-decrypts' || sent.length <= 2) return undefined;
  return diagnose('accepted-bad-input', found.message);
}

export function isWronglyRefused({ expected, outcome }: SentStep): boolean {
  return expected.verdict === 'accepted' && !isAccepted(outcome);
}

const refuseAlways =
  'Refuse it each time: examine the fields of every request, not only those of the first one of a user or a connection.';

/** What is wrong with a request that was accepted rightly: its response, or the key in it. */
function flawOfAccepted(
  { outcome, operation: { about }, key, built }: SentStep,
  earlierKeys: readonly string[],
): Flaw | undefined {
  const { kind, form } = built.model;
  if (kind === 'key-exchange' && (form === 'odd' || form === 'invalid')) return undefined;
  if (kind === 'key-exchange' && (!outcome.ok || key === undefined)) {
    const { diagnosis: found = (outcome as KeyExchangeOutcome).diagnoses?.[0] } = outcome;
    return {
      title: `${about} was answered wrongly`,
      expected: 'a new key of 32 characters, encrypted with the public_key of the request',
      why: 'An accepted key exchange returns the key as section 2.2 says.',
      observed: found?.code ?? 'no key that can be read',
      diagnosis: found,
    };
  }
  if (key !== undefined && earlierKeys.includes(key)) {
    const message = 'The key exchange returned a key that an earlier one had returned.';
    return {
      title: `${about} returned a key that was given out before`,
      expected: 'a new key',
      why: 'Each key exchange generates a new key for its user (4.1.1).',
      observed: 'the key of an earlier key exchange',
      diagnosis: diagnose('key-repeated', message),
    };
  }
  const found = diagnoseEnvelope(outcome);
  return (
    found && {
      title: `${about} was answered wrongly`,
      expected: 'code and message as strings',
      why: 'Every response carries code and message (section 7).',
      observed: describeResponse(outcome),
      diagnosis: found,
    }
  );
}
