import { encodeHex } from '../bytes.ts';
import type { CallOutcome } from '../client/call.ts';
import { responseOf, type WireRequest } from '../client/exchange.ts';
import { judgeKeyExchange, judgeRegistration, type KeyExchangeOutcome } from '../client/signup.ts';
import { isAccepted } from '../conformance/expect.ts';
import { keyLeakFinder } from '../diagnosis/key-leak.ts';
import { hasCode } from '../errors.ts';
import { type Coverage, pairName } from './coverage.ts';
import {
  byUser,
  type Execution,
  type Send,
  type SentStep,
  sendRounds,
  sendStep,
  type Violation,
} from './execution.ts';
import { type ModelEvent, type ModelRequest, userModel } from './model/expectation.ts';
import { KnownUsers } from './model/rounds.ts';
import {
  type KeyId,
  type KeyPolicy,
  nameOfState,
  type UserState,
  unknownUser,
} from './model/state.ts';
import type { Built, Operation, Scene, SeenKey } from './operation.ts';
import { findOperation } from './operations.ts';
import type { Sequence, Step } from './sequence.ts';
import { codeKindOf, codesOf, isOdd } from './user-codes.ts';
import { faultOfAccepted, unexpectedCallback } from './violation.ts';

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

/** A callback as it went. */
export interface SentCallback extends SentStep {
  readonly built: Built;
  /** What the model has to know about it. */
  readonly asked: ModelRequest;
  /** The key that it gave. */
  readonly key?: string;
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

type Prepared = Omit<SentCallback, 'outcome' | 'key'>;

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
  readonly #users: KnownUsers<UserState, ModelRequest, ModelEvent>;
  readonly #keys = new Map<number, SeenKey[]>();
  readonly #accepted = new Map<number, { readonly request: WireRequest; readonly key: KeyId }>();
  readonly #allKeys: string[] = [];
  readonly #leakFinders = new Map<string, ReturnType<typeof keyLeakFinder>>();

  constructor(sequence: Sequence, world: World, knowledge: Knowledge) {
    this.#sequence = sequence;
    this.#world = world;
    this.#knowledge = knowledge;
    this.#users = new KnownUsers(userModel, unknownUser(knowledge.policy));
    const { users } = sequence;
    const given = world.takeUserCodes?.(users.length);
    this.#codes = codesOf(users, encodeHex(world.randomBytes(8)), given);
  }

  run(): Promise<Execution> {
    return sendRounds(this.#sequence, {
      prepare: (steps, round) => this.#prepare(steps, round),
      send: (prepared) => this.#send(prepared),
      judge: async (sent) => this.#judge(sent),
    });
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
        ...(getsKeyBeside(step, steps) && { isTelling: false }),
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

  async #send(prepared: Prepared): Promise<SentCallback> {
    const { built, ptnCd } = prepared;
    const { send, clientId, cipher, keyPairs, now } = this.#world;
    const exchange = await sendStep(send, built.request, prepared);
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

  #judge(sent: readonly SentCallback[]): Violation | undefined {
    let fault: Violation | undefined;
    const events = sent.map((step) => {
      const accepted = isAccepted(step.outcome);
      const leak = this.#leakIn(step);
      if (accepted) fault ??= this.#faultOf(step);
      fault ??= leak;
      return this.#eventOf(step, accepted);
    });
    const wrong = this.#users.judge(byUser(sent, events));
    return wrong === undefined
      ? fault
      : unexpectedCallback(sent.filter(({ step }) => step.user === wrong));
  }

  #eventOf(step: SentCallback, accepted: boolean): ModelEvent {
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

  #faultOf(step: SentCallback): Violation | undefined {
    if (step.built.model.kind === 'registration') return faultOfAccepted(step, []);
    const isRight = ['valid', 'optional'].includes(step.built.model.form);
    return isRight ? faultOfAccepted(step, this.#allKeys) : undefined;
  }

  #leakIn(step: SentCallback): Violation | undefined {
    const response = responseOf(step.outcome.exchange);
    if (response === undefined) return undefined;
    const recent = [
      ...this.#allKeys.slice(-searchedKeys),
      ...(step.key === undefined ? [] : [step.key]),
    ];
    if (isPlainWrap(step.outcome)) return undefined;
    const { about } = step.operation;
    const leak = recent.map((key) => this.#leakFinder(key)(response, about)).find(Boolean);
    if (leak === undefined) return undefined;
    return {
      steps: [step],
      kind: 'leak',
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

/** Whether the user exchanges a key at the same time: it may decrypt by chance what no known key does. */
function getsKeyBeside({ user }: Step, round: readonly Step[]): boolean {
  return round.some((other) => other.user === user && other.operation.startsWith('key-exchange/'));
}

/** How many keys, the latest, are looked for in each response. */
const searchedKeys = 24;

/** The field for the encrypted key contains a plain one, which its own diagnosis says better. */
function isPlainWrap(outcome: CallOutcome<object>): boolean {
  const { diagnoses = [] } = outcome as Partial<KeyExchangeOutcome>;
  return diagnoses.some(({ code }) => code === 'plain-key' || code === 'base64-of-plain-key');
}
