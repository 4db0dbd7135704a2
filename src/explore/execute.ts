import { encodeHex } from '../bytes.ts';
import type { CallOutcome, KeyExchangeOutcome } from '../client/call.ts';
import { type Exchange, responseOf, statusOf, type WireRequest } from '../client/exchange.ts';
import { judgeKeyExchange, judgeRegistration } from '../client/signup.ts';
import { CheckFailed } from '../conformance/check.ts';
import { checkHeader } from '../conformance/context.ts';
import { describeResponse, expectEnvelope, isAccepted } from '../conformance/expect.ts';
import { diagnose } from '../diagnosis/catalogue.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { keyLeakFinder } from '../diagnosis/key-leak.ts';
import { type Diagnosis, hasCode } from '../errors.ts';
import { capitalised } from '../text.ts';
import { type Coverage, pairName } from './coverage.ts';
import {
  type Expectation,
  type KeyId,
  type KeyPolicy,
  KnownUsers,
  type ModelEvent,
  type ModelRequest,
  nameOfState,
} from './model.ts';
import {
  type Built,
  findOperation,
  type Operation,
  type Scene,
  type SeenKey,
} from './operations.ts';
import type { Sequence, Step } from './sequence.ts';
import { codeKindOf, codesOf, isOdd } from './user-codes.ts';

/** Sends a request on a kept connection or on a new one; see {@link Transport.send}. */
export type Send = (request: WireRequest, connection: 'kept' | 'fresh') => Promise<Exchange>;

/** A step as it went. */
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
  /** The key that it gave. */
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

/** Sends a sequence once. */
export type Execute = (sequence: Sequence) => Promise<Execution>;

/** A sequence, and how it went. */
export interface Executed {
  readonly sequence: Sequence;
  readonly execution: Execution;
}

/** What a sequence shows to be wrong. */
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
  readonly takeUserCodes?: ((count: number) => readonly string[]) | undefined;
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
  return new Running(sequence, world, { policy, refused, coverage }).run();
}

type Prepared = Omit<SentStep, 'outcome' | 'key'>;

interface Knowledge {
  readonly policy: KeyPolicy;
  /** Variants of user codes that the endpoint refuses, which is left to it. */
  readonly refused: ReadonlySet<string>;
  readonly coverage: Coverage | undefined;
}

class Running {
  readonly #sequence: Sequence;
  readonly #world: World;
  readonly #knowledge: Knowledge;
  readonly #codes: readonly string[];
  readonly #users: KnownUsers;
  readonly #keys = new Map<number, SeenKey[]>();
  readonly #accepted = new Map<number, { readonly request: WireRequest; readonly key: KeyId }>();
  readonly #allKeys: string[] = [];
  readonly #leakFinders = new Map<string, ReturnType<typeof keyLeakFinder>>();

  constructor(sequence: Sequence, world: World, knowledge: Knowledge) {
    this.#sequence = sequence;
    this.#world = world;
    this.#knowledge = knowledge;
    this.#users = new KnownUsers(knowledge.policy);
    const { users } = sequence;
    const given = world.takeUserCodes?.(users.length);
    this.#codes = codesOf(users, encodeHex(world.randomBytes(8)), given);
  }

  /** Sends the rounds, the steps of each at the same time, until one of them shows a violation. */
  async run(): Promise<Execution> {
    const all: SentStep[] = [];
    for (const [number, steps] of this.#sequence.rounds.entries()) {
      const prepared = await this.#prepare(steps, number);
      const sent = await Promise.all(prepared.map((step) => this.#send(step)));
      all.push(...sent);
      const isLimited = sent.some(({ outcome }) => statusOf(outcome.exchange) === 429);
      const violation = isLimited ? undefined : this.#judge(sent);
      if (isLimited || violation !== undefined) return { sent: all, violation, isLimited };
    }
    return { sent: all, isLimited: false };
  }

  async #prepare(steps: readonly Step[], round: number): Promise<readonly Prepared[]> {
    const { refused, coverage } = this.#knowledge;
    const prepared: Prepared[] = [];
    for (const step of steps) {
      const operation = this.#codes[step.user] ? findOperation(step.operation) : undefined;
      const built = operation && (await this.#build(operation, step));
      if (operation === undefined || built === undefined) continue;
      const code = codeKindOf(this.#sequence.users, step.user, refused, (user) =>
        this.#isKnown(user, steps),
      );
      const asked: ModelRequest = {
        operation: operation.id,
        code,
        ...built.model,
        // One who gets a key at the same time may decrypt by chance what no known key does.
        ...(steps.some((other) => other.user === step.user && isExchange(other)) && {
          isTelling: false,
        }),
      };
      const expected = this.#users.expectOf(step.user, asked);
      const ptnCd = this.#codes[step.user] ?? '';
      prepared.push({ step, operation, round, ptnCd, built, expected, asked });
      const [state] = this.#users.statesOf(step.user);
      if (state !== undefined) {
        coverage?.count(pairName(operation.id, nameOfState(state), steps.length > 1));
      }
    }
    return prepared;
  }

  /** A key of a cipher that can't use it is not a reason to end: such a step isn't sent. */
  async #build(operation: Operation, step: Step): Promise<Built | undefined> {
    const keys = this.#keysOf(step.user);
    const states = this.#users.statesOf(step.user);
    const stored = states.map((state) => state.keys.at(-1));
    const scene = {
      ...this.#world,
      ptnCd: this.#codes[step.user] ?? '',
      keys,
      stored: keys.filter(({ id }) => stored.includes(id)),
      // A user whose code is given may have been here before.
      isUnknown:
        this.#world.takeUserCodes === undefined && states.every((state) => state.keys.length === 0),
      accepted: this.#accepted.get(step.user),
      keysOf: (user: number) => this.#keysOf(user),
    };
    try {
      return await operation.build(scene, step);
    } catch (error) {
      if (hasCode(error, 'usage')) return undefined;
      throw error;
    }
  }

  async #send(prepared: Prepared): Promise<SentStep> {
    const { built, ptnCd, operation, step } = prepared;
    const { send, clientId, cipher, keyPairs, now } = this.#world;
    const headers = [...built.request.headers, [checkHeader, `explore/${operation.id}`] as const];
    const exchange = await send({ ...built.request, headers }, step.fresh ? 'fresh' : 'kept');
    if (built.model.kind === 'registration') {
      return { ...prepared, outcome: await judgeRegistration(exchange, cipher) };
    }
    const keyPair = built.keyPair ?? (await keyPairs.usual());
    const context = { keyPair, clientId, ptnCd, now: now(), examinesStrength: false };
    const outcome = await judgeKeyExchange(exchange, context);
    const key = outcome.key?.reveal();
    if (key !== undefined) this.#world.onKey(key);
    return { ...prepared, outcome, ...(key !== undefined && { key }) };
  }

  #judge(sent: readonly SentStep[]): Violation | undefined {
    let fault: Violation | undefined;
    const events = new Map<number, readonly ModelEvent[]>();
    for (const step of sent) {
      const accepted = isAccepted(step.outcome);
      const leak = this.#leakIn(step);
      if (accepted) fault ??= this.#faultOf(step);
      fault ??= leak;
      const { user } = step.step;
      events.set(user, [...(events.get(user) ?? []), this.#eventOf(step, accepted)]);
    }
    const wrong = this.#users.judge(events);
    return wrong === undefined ? fault : unexpected(sent.filter(({ step }) => step.user === wrong));
  }

  #eventOf(step: SentStep, accepted: boolean): ModelEvent {
    const verdict = accepted ? 'accepted' : 'refused';
    const { user } = step.step;
    const { built, key, asked: request } = step;
    if (accepted && built.model.kind === 'registration' && built.model.key !== undefined) {
      this.#accepted.set(user, { request: built.request, key: built.model.key });
    }
    if (!accepted || built.model.kind === 'registration' || key === undefined) {
      return { request, verdict };
    }
    const id = this.#allKeys.length;
    this.#allKeys.push(key);
    this.#keys.set(user, [...this.#keysOf(user), { id, text: key }]);
    return { request, verdict, key: id };
  }

  #faultOf(step: SentStep): Violation | undefined {
    const { kind, form } = step.built.model;
    if (kind === 'registration') return faultOfAccepted(step, []);
    const isRight = form === 'valid' || form === 'optional';
    return isRight ? faultOfAccepted(step, this.#allKeys) : undefined;
  }

  #leakIn(step: SentStep): Violation | undefined {
    const response = responseOf(step.outcome.exchange);
    if (response === undefined) return undefined;
    const recent = this.#allKeys.slice(-searchedKeys);
    if (step.key !== undefined) recent.push(step.key);
    if (isPlainWrap(step.outcome)) return undefined;
    const { about } = step.operation;
    const leak = recent.map((key) => this.#leakFinder(key)(response, about)).find(Boolean);
    if (leak === undefined) return undefined;
    return {
      steps: [step],
      title: `${about} shows a per-user key`,
      expected: 'no plain per-user key in any response',
      why: 'The plain key must never appear in the response (4.1.1).',
      observed: `one in the response, ${leak.form}`,
      diagnosis: leak.diagnosis,
    };
  }

  /** Each key is looked for in many responses, and its forms take long to make. */
  #leakFinder(key: string): ReturnType<typeof keyLeakFinder> {
    const finder = this.#leakFinders.get(key) ?? keyLeakFinder([key]);
    this.#leakFinders.set(key, finder);
    return finder;
  }

  #keysOf(user: number): readonly SeenKey[] {
    return this.#keys.get(user) ?? [];
  }

  #isKnown(user: number, round: readonly Step[]): boolean | 'unsure' {
    const states = this.#users.statesOf(user);
    if (states.every(({ keys }) => keys.length > 0)) return true;
    const isUnderWay = round.length > 1 && round.some((step) => step.user === user);
    const isUnsure = states.some(({ keys }) => keys.length > 0) || isUnderWay;
    return isUnsure ? 'unsure' : false;
  }
}

function isExchange({ operation }: Step): boolean {
  return operation.startsWith('key-exchange/');
}

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
  if (steps.length > 1 || only === undefined) return unexplained(steps);
  const { operation, expected, outcome } = only;
  const accepted = isAccepted(outcome);
  const verb = accepted ? 'was accepted' : 'was not accepted';
  const found = diagnosisOfCallback(only);
  return {
    steps,
    title: `${operation.about} ${verb}`,
    expected: expected.verdict === 'accepted' ? 'code "0000"' : 'a code other than "0000"',
    why: expected.why,
    observed: describeResponse(outcome),
    ...(found && { diagnosis: found }),
  };
}

function unexplained(steps: readonly SentStep[]): Violation {
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
    ...(failed?.outcome.diagnosis && { diagnosis: failed.outcome.diagnosis }),
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
  const isUndecryptable = operation.id === 'registration/undecryptable-partner-sp';
  const message = `${about} was answered with code "0000".`;
  return diagnose(isUndecryptable ? 'never-decrypts' : 'accepted-bad-input', message);
}

/** An application that never decrypts needs no more than a key exchange to show that. */
export function diagnoseSometimesDecrypted({ sent, violation }: Execution): Diagnosis | undefined {
  const found = violation?.diagnosis;
  if (found?.code !== 'never-decrypts' || sent.length <= 2) return undefined;
  return diagnose('accepted-bad-input', found.message);
}

/** Whether a request that must be accepted was not. */
export function isWronglyRefused({ expected, outcome }: SentStep): boolean {
  return expected.verdict === 'accepted' && !isAccepted(outcome);
}

const refuseAlways =
  'Refuse it each time: examine the fields of every request, not only those of the first one of a user or a connection.';

/** What is wrong with a request that was accepted rightly: its response, or the key in it. */
function faultOfAccepted(step: SentStep, earlierKeys: readonly string[]): Violation | undefined {
  const { outcome, operation, key } = step;
  if (step.built.model.kind === 'key-exchange' && (!outcome.ok || key === undefined)) {
    const { diagnosis: found = (outcome as KeyExchangeOutcome).diagnoses?.[0] } = outcome;
    return {
      steps: [step],
      title: `${operation.about} was answered wrongly`,
      expected: 'a new key of 32 characters, encrypted with the public_key of the request',
      why: 'An accepted key exchange returns the key as section 2.2 says.',
      observed: found?.code ?? 'no key that can be read',
      ...(found && { diagnosis: found }),
    };
  }
  if (key !== undefined && earlierKeys.includes(key)) {
    const message = 'The key exchange returned a key that an earlier one had returned.';
    return {
      steps: [step],
      title: `${operation.about} returned a key that was given out before`,
      expected: 'a new key',
      why: 'Each key exchange generates a new key for its user (4.1.1).',
      observed: 'the key of an earlier key exchange',
      diagnosis: diagnose('key-repeated', message),
    };
  }
  return envelopeFault(step);
}

/** What is wrong with the fields of an accepted response. */
function envelopeFault(step: SentStep): Violation | undefined {
  try {
    expectEnvelope(step.outcome, 'code and message as strings');
    return undefined;
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    const { expected, observed, diagnosis: found } = error.fault;
    return {
      steps: [step],
      title: `${step.operation.about} was answered wrongly`,
      expected,
      observed,
      why: 'Every response carries code and message (section 7).',
      ...(found && { diagnosis: found }),
    };
  }
}
