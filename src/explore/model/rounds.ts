import type { Expectation, Verdict } from './expectation.ts';

/** What is expected of a user in a state, and the states after a response; pure. */
export interface Model<State, Request, Event> {
  readonly expect: (state: State, request: Request) => Expectation;
  /** The states that the user may be in after an allowed response. */
  readonly nextStates: (state: State, event: Event) => readonly State[];
  /** A state without what only the order of callbacks at the same time shows; the same by default. */
  readonly vague?: (state: State) => State;
}

/** What was answered where the interface leaves a choice, by the name of the choice. */
export type Choices = ReadonlyMap<string, Verdict>;

/** What the model knows about one user after callbacks at the same time. */
export interface JudgedRound<State> {
  /** The states that the user may be in; empty if no order of the callbacks explains the responses. */
  readonly states: readonly State[];
  /** The choices that the responses show for certain. */
  readonly choices: Choices;
}

/**
 * Judges the responses to callbacks of one user that were under way at the same time: they are right if some
 * order of them is (linearizability, which users may be judged one by one for). Several states are
 * possible before if earlier callbacks left that open.
 */
export function judgeRound<
  State,
  Request,
  Event extends { readonly request: Request; readonly verdict: Verdict },
>(
  { expect, nextStates, vague = (state) => state }: Model<State, Request, Event>,
  before: readonly State[],
  events: readonly Event[],
  choices: Choices,
): JudgedRound<State> {
  const after = new Map<string, State>();
  const seen = events.map(() => new Set<string | undefined>());
  const walked = new Map<string, boolean>();
  /** Whether the callbacks that are `left` can follow in some order; each way is walked once. */
  const walk = (state: State, left: readonly number[]): boolean => {
    const here = JSON.stringify([left, state]);
    const known = walked.get(here);
    if (known !== undefined) return known;
    if (left.length === 0) after.set(here, state);
    let isPossible = left.length === 0;
    for (const index of left) {
      const event = events[index] as Event;
      const expected = expect(state, event.request);
      if (!allows(expected, event.verdict, choices)) continue;
      const rest = left.filter((each) => each !== index);
      const canFollow = nextStates(state, event).filter((next) => walk(next, rest)).length > 0;
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
  return { states: few([...after.values()], vague), choices: shown };
}

/** What the model knows about the users of a sequence, and the choices that the endpoint has made. */
export class KnownUsers<
  State,
  Request,
  Event extends { readonly request: Request; readonly verdict: Verdict },
> {
  readonly #model: Model<State, Request, Event>;
  readonly #first: State;
  readonly #states = new Map<number, readonly State[]>();
  #choices: Choices = new Map();

  /** `first` is the state of a user of whom nothing is known. */
  constructor(model: Model<State, Request, Event>, first: State) {
    this.#model = model;
    this.#first = first;
  }

  /** The states that the user may be in. */
  statesOf(user: number): readonly State[] {
    return this.#states.get(user) ?? [this.#first];
  }

  expectOf(user: number, request: Request): Expectation {
    return expectNow(this.#model, this.statesOf(user), request, this.#choices);
  }

  /** Takes the responses of a round by their users; returns the first user whose responses no order explains. */
  judge(events: ReadonlyMap<number, readonly Event[]>): number | undefined {
    const before = this.#choices;
    let unexplained: number | undefined;
    for (const [user, own] of events) {
      const { states, choices } = judgeRound(this.#model, this.statesOf(user), own, before);
      if (states.length === 0) {
        unexplained ??= user;
        continue;
      }
      this.#states.set(user, states);
      this.#choices = new Map([...this.#choices, ...choices]);
    }
    return unexplained;
  }
}

/** Callbacks of one user at the same time, beyond which their order is not followed. */
const mostInOrder = 4;
/** Possible states of one user, beyond which they are made vague: each round could double them. */
const mostStates = 24;

function few<State>(states: readonly State[], vague: (state: State) => State): readonly State[] {
  if (states.length <= mostStates) return states;
  return [...new Map(states.map(vague).map((state) => [JSON.stringify(state), state])).values()];
}

function allows({ verdict, choice }: Expectation, seen: Verdict, choices: Choices): boolean {
  if (verdict !== 'open') return verdict === seen;
  const made = choice === undefined ? undefined : choices.get(choice);
  return made === undefined || made === seen;
}

/** What is expected of a request now: what all possible states demand, otherwise that it is open. */
export function expectNow<State, Request>(
  { expect }: Pick<Model<State, Request, never>, 'expect'>,
  states: readonly State[],
  request: Request,
  choices: Choices,
): Expectation {
  const expected = states.map((state) => settled(expect(state, request), choices));
  const [first] = expected;
  if (first !== undefined && expected.every(({ verdict }) => verdict === first.verdict))
    return first;
  return { verdict: 'open', why: 'It depends on the order in which earlier callbacks arrived.' };
}

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
