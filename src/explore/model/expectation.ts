import type { Model } from './rounds.ts';
import {
  type KeyId,
  nameOfState,
  type UserState,
  unreadable,
  vague,
  withEarlierKey,
  withKey,
  withRegistration,
} from './state.ts';

/** A request as far as its response depends on it. */
export type ModelRequest = {
  /** The operation, which distinguishes what the interface leaves open. */
  readonly operation: string;
  /** What the code of the user is like; other codes must be accepted. */
  readonly code: CodeKind;
} & (
  | {
      readonly kind: 'key-exchange';
      /** `valid`; `optional`: may be refused; `odd`: should be refused; `invalid`: must be refused. */
      readonly form: 'valid' | 'optional' | 'odd' | 'invalid';
    }
  | {
      readonly kind: 'registration';
      readonly form: 'valid' | 'optional' | 'invalid';
      /** The key that encrypted it; undefined for one that this user never had. */
      readonly key: KeyId | undefined;
      /** No other key that the model knows of the user decrypts it; what can't be said for certain is open. */
      readonly isTelling: boolean;
    }
);

/** How a user code differs from an ordinary one, and whether a user with nearly the same code is known. */
export interface CodeKind {
  /** Of a code that the endpoint refuses even alone; undefined for others, which must be accepted. */
  readonly oddity?: string;
  /**
   * Which known users have nearly the same code, and how these codes differ: each such pair is a choice of its
   * own. Empty without any; `unsure` where such a user exchanges a key at the same time.
   */
  readonly near: string;
}

export type Verdict = 'accepted' | 'refused';

/** What a right application may answer. */
export interface Expectation {
  readonly verdict: Verdict | 'open';
  /** A sentence. */
  readonly why: string;
  /** The choice that the interface leaves, by name: whoever made it once must stick to it. */
  readonly choice?: string;
}

/** What a right application answers a user in this state. */
function expect(state: UserState, request: ModelRequest): Expectation {
  const expected =
    request.kind === 'key-exchange'
      ? expectOfExchange(state, request)
      : expectOfRegistration(state, request);
  // Which choice it is depends on what came before.
  const { choice: _, ...withoutChoice } = expected;
  return state.isVague ? withoutChoice : expected;
}

function expectOfExchange(
  state: UserState,
  { operation, code, form }: Extract<ModelRequest, { kind: 'key-exchange' }>,
): Expectation {
  const name = nameOfState(state);
  if (form === 'invalid') return must('refused', 'The request is malformed (4.1.1).');
  if (form === 'odd') {
    const why = 'Whether such a request is refused is left open; the endpoint must do it always.';
    return open(operation, why);
  }
  const isNew = name === 'unknown';
  if (form === 'optional' || code.oddity !== undefined || (isNew && code.near !== '')) {
    const why = 'Such a request may be refused, and then always.';
    const ofNewUser = isNew ? ' of a new user' : '';
    const choice = `${form === 'optional' ? operation : 'key exchange'}${ofNewUser}${labelOf(code)}`;
    return code.near === 'unsure' ? { verdict: 'open', why } : open(choice, why);
  }
  return must(
    'accepted',
    'A valid key exchange gives the user a new key, whatever came before (4.1.1).',
  );
}

function expectOfRegistration(
  state: UserState,
  request: Extract<ModelRequest, { kind: 'registration' }>,
): Expectation {
  const { operation, code, form, key, isTelling } = request;
  const name = nameOfState(state);
  if (form === 'invalid') return must('refused', 'The request is malformed (4.1.2).');
  if (name === 'unknown') {
    return must('refused', 'The user has not exchanged a key (section 6).');
  }
  const stored = state.keys.at(-1);
  const label = labelOf(code);
  if (stored === unreadable) {
    return { verdict: 'open', why: 'The stored key is not known.' };
  }
  if (key === undefined || !state.keys.includes(key)) {
    return isTelling
      ? must('refused', 'The stored key of this user does not decrypt it (4.1.2).')
      : { verdict: 'open', why: 'The cipher does not show that the key is wrong.' };
  }
  if (key !== stored) {
    const back = state.keys.length - 1 - state.keys.lastIndexOf(key);
    const since = state.registrations > 0 ? ', with a registration since' : '';
    const before = state.used.includes(key) ? ', used before' : '';
    const why = 'Whether an earlier key still works is left open; the endpoint must do it always.';
    return isTelling
      ? open(`${shapeOf(operation)}: ${back} key exchanges back${since}${before}${label}`, why)
      : { verdict: 'open', why };
  }
  if (state.registrations > 0) {
    const why =
      'Whether a user can register twice under one key is left open; the endpoint must do it always.';
    return open(`${shapeOf(operation)}: after ${state.registrations} under this key${label}`, why);
  }
  if (form === 'optional' || code.oddity !== undefined) {
    return open(
      `${operation} of a user who is ${name}${label}`,
      'Such a request may be refused, and then always.',
    );
  }
  return must(
    'accepted',
    'It is encrypted with the key of the latest key exchange of this user (4.1.2).',
  );
}

/** These differ in what was before, and not as requests. */
function shapeOf(operation: string): string {
  return operation.replace(/^registration\/(?:latest-key|late|earlier-key)$/, 'registration');
}

function labelOf({ oddity, near }: CodeKind): string {
  const beside = near === '' ? '' : `, whose code is nearly that of another: ${near}`;
  return `${oddity === undefined ? '' : `, whose code ${oddity}`}${beside}`;
}

function must(verdict: Verdict, why: string): Expectation {
  return { verdict, why };
}

function open(choice: string, why: string): Expectation {
  return { verdict: 'open', choice, why };
}

/** A request and its response; `key` is the one that an accepted key exchange gave. */
export interface ModelEvent {
  readonly request: ModelRequest;
  readonly verdict: Verdict;
  readonly key?: KeyId;
}

/** The states that a user in this state may be in after an allowed response. */
function nextStates(state: UserState, event: ModelEvent): readonly UserState[] {
  const next = statesAfter(state, event);
  return state.isVague ? next.map(vague) : next;
}

function statesAfter(
  state: UserState,
  { request, verdict, key }: ModelEvent,
): readonly UserState[] {
  if (verdict === 'refused') return [state];
  if (request.kind === 'key-exchange') {
    const given = withKey(state, key ?? unreadable);
    // What an endpoint does with a request that it should have refused is not known.
    return request.form === 'odd' || request.form === 'invalid' ? [given, state] : [given];
  }
  const sent = request.key;
  if (sent === state.keys.at(-1)) return [withRegistration(state)];
  if (sent === undefined || !state.keys.includes(sent)) return statesAfterChance(state);
  // Sent beside a key exchange, which may have given a key that decrypts it by chance.
  if (state.policy.refusesEarlierKeys && !request.isTelling) return statesAfterChance(state);
  return [withEarlierKey(state, sent), state];
}

/** The stored key decrypted by chance what another one encrypted. It matters to whoever registers a user once. */
function statesAfterChance(state: UserState): readonly UserState[] {
  return state.policy.registersAgain ? [state] : [withRegistration(state), state];
}

/** The model of a user of the application. */
export const userModel: Model<UserState, ModelRequest, ModelEvent> = { expect, nextStates, vague };
