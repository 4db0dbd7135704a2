/** In place of a key that came in a form that can't be read. */
const unreadable = '';

/** What the application is known to do where the interface leaves it open; undefined where that is not known. */
export interface KeyPolicy {
  /** A registration under a key before the stored one is refused. */
  readonly refusesEarlierKeys?: boolean;
  /** A second registration under the stored key is accepted. */
  readonly registersAgain?: boolean;
}

interface UserState {
  readonly policy: KeyPolicy;
  /** The keys that were given out, the oldest first; the last one is stored. */
  readonly keys: readonly string[];
  /** How many registrations were accepted under the stored key. */
  readonly registrations: number;
  /** Keys under which a registration was ever accepted. */
  readonly used: readonly string[];
  /** The order of the earlier keys and of the registrations is not known: they came at the same time as others. */
  readonly isVague?: true;
}

/** The same without what is not known of callbacks at the same time: many orders of them are one such state. */
function vague(state: UserState): UserState {
  return {
    ...state,
    keys: [...state.keys.slice(0, -1).sort(), ...state.keys.slice(-1)],
    registrations: Math.min(1, state.registrations),
    used: [...state.used].sort(),
    isVague: true,
  };
}

/** The state as coverage counts it; `known-again`: with a new key after a registration under an earlier one. */
export function nameOfState({ keys, registrations, used }: Omit<UserState, 'policy'>) {
  if (keys.length === 0) return 'unknown';
  if (registrations > 0) return 'registered';
  return used.length > 0 ? 'known-again' : 'known';
}

function withRegistration(state: UserState): UserState {
  const key = state.keys.at(-1) ?? unreadable;
  const used = state.used.includes(key) ? state.used : [...state.used, key];
  return { ...state, registrations: state.registrations + 1, used };
}

/** The same where an earlier key becomes the stored one by it. */
function withEarlierKey(state: UserState, key: string): UserState {
  const keys = [...state.keys.filter((each) => each !== key), key];
  return withRegistration({ ...state, keys, registrations: 0 });
}

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
      readonly key: string | undefined;
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

export interface Expectation {
  readonly verdict: Verdict | 'open';
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
  if (name === 'unknown') return must('refused', 'The user has not exchanged a key (section 6).');
  const stored = state.keys.at(-1);
  const label = labelOf(code);
  if (stored === unreadable) return { verdict: 'open', why: 'The stored key is not known.' };
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
  readonly key?: string;
}

/** The states that a user in this state may be in after an allowed response. */
function statesAfter(
  state: UserState,
  { request, verdict, key }: ModelEvent,
): readonly UserState[] {
  if (verdict === 'refused') return [state];
  if (request.kind === 'key-exchange') {
    const given = { ...state, keys: [...state.keys, key ?? unreadable], registrations: 0 };
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

/** What was answered where the interface leaves a choice, by the name of the choice. */
type Choices = ReadonlyMap<string, Verdict>;

/**
 * Judges the responses to callbacks of one user that were under way at the same time: they are right if some
 * order of them is (linearizability, which users may be judged one by one for). Several states are
 * possible before if earlier callbacks left that open; none is afterwards if no order explains the responses.
 */
function judgeRound(
  before: readonly UserState[],
  events: readonly ModelEvent[],
  choices: Choices,
): { readonly states: readonly UserState[]; readonly choices: Choices } {
  const reached = new Map<string, UserState>();
  const seen = events.map(() => new Set<string | undefined>());
  const walked = new Map<string, boolean>();
  /** Whether the callbacks that are `left` can follow in some order; each way is walked once. */
  const walk = (state: UserState, left: readonly number[]): boolean => {
    const here = JSON.stringify([left, state]);
    const known = walked.get(here);
    if (known !== undefined) return known;
    if (left.length === 0) reached.set(here, state);
    let isPossible = left.length === 0;
    for (const index of left) {
      const event = events[index] as ModelEvent;
      const expected = expect(state, event.request);
      if (![event.verdict, 'open'].includes(settled(expected, choices).verdict)) continue;
      const rest = left.filter((each) => each !== index);
      const after = statesAfter(state, event).map((next) => (state.isVague ? vague(next) : next));
      const canFollow = after.filter((next) => walk(next, rest)).length > 0;
      if (canFollow) seen[index]?.add(expected.choice);
      isPossible ||= canFollow;
    }
    walked.set(here, isPossible);
    return isPossible;
  };
  for (const state of events.length > mostInOrder ? before.map(vague) : before) {
    walk(state, [...events.keys()]);
  }
  const shown = new Map(choices);
  for (const [index, { verdict }] of events.entries()) {
    const [choice, ...others] = seen[index] ?? [];
    if (choice !== undefined && others.length === 0) shown.set(choice, verdict);
  }
  const states = [...reached.values()];
  if (states.length <= mostStates) return { states, choices: shown };
  const merged = new Map(states.map(vague).map((state) => [JSON.stringify(state), state]));
  return { states: [...merged.values()], choices: shown };
}

/** What the model knows about the users of a sequence, and the choices that the endpoint has made. */
export function knownUsers(policy: KeyPolicy) {
  const unknown: UserState = { policy, keys: [], registrations: 0, used: [] };
  const known = new Map<number, readonly UserState[]>();
  let choices: Choices = new Map();
  const statesOf = (user: number): readonly UserState[] => known.get(user) ?? [unknown];
  return {
    /** The states that the user may be in. */
    statesOf,
    /** What is expected of a request now: what all possible states demand, otherwise that it is open. */
    expectOf(user: number, request: ModelRequest): Expectation {
      const expected = statesOf(user).map((state) => settled(expect(state, request), choices));
      const [first] = expected;
      if (first !== undefined && expected.every(({ verdict }) => verdict === first.verdict))
        return first;
      return {
        verdict: 'open',
        why: 'It depends on the order in which earlier callbacks arrived.',
      };
    },
    /** Takes the responses of a round by their users; returns the first user whose responses no order explains. */
    judge(events: ReadonlyMap<number, readonly ModelEvent[]>): number | undefined {
      const before = choices;
      let unexplained: number | undefined;
      for (const [user, own] of events) {
        const judged = judgeRound(statesOf(user), own, before);
        if (judged.states.length === 0) {
          unexplained ??= user;
          continue;
        }
        known.set(user, judged.states);
        choices = new Map([...choices, ...judged.choices]);
      }
      return unexplained;
    },
  };
}

/** Callbacks of one user at the same time, beyond which their order is not followed. */
const mostInOrder = 4;
/** Possible states of one user, beyond which they are made vague: each round could double them. */
const mostStates = 24;

/** A choice that the endpoint has made is binding. */
function settled(expected: Expectation, choices: Choices): Expectation {
  const made = expected.choice === undefined ? undefined : choices.get(expected.choice);
  if (made === undefined) return expected;
  return {
    ...expected,
    verdict: made,
    why: `Another one in the same situation was ${made} before, and the endpoint must stick to it.`,
  };
}
