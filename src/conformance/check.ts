import type { Exchange } from '../client/exchange.ts';
import type { Diagnosis } from '../errors.ts';
import type { CheckContext } from './context.ts';
import type { RunRecord } from './result.ts';

/** `must` is what the interface states, `should` what it leaves open and users would expect. */
export type Level = 'must' | 'should';

/** Whether a check sends valid requests, or malformed ones that must be refused. */
export type Polarity = 'positive' | 'negative';

/**
 * When a check runs, in this order. Checks of `foundation` run one after another, those of the two
 * stages of requests in parallel once the foundation has shown that this mixes up no users;
 * `aftermath` checks that the application still works, and `review` judges what came before.
 */
export const stages = [
  'foundation',
  'right-requests',
  'wrong-requests',
  'aftermath',
  'review',
] as const;

export type Stage = (typeof stages)[number];

/** What a check can find out for others; see `providerOf` in selection.ts. */
export type Capability = 'readable-key' | 'usable-key';

export interface CheckFacts {
  /** `GROUP/NAME`, as the file of the check. */
  readonly id: string;
  /** The requirement, without a full stop. */
  readonly title: string;
  /** The section of the interface, and the sentence that the check rests on. */
  readonly section: string;
  readonly sentence: string;
  readonly level: Level;
  readonly polarity: Polarity;
}

/** The facts alone, of a check with more. */
export function checkFacts(check: CheckFacts): CheckFacts {
  const { id, title, section, sentence, level, polarity } = check;
  return { id, title, section, sentence, level, polarity };
}

export interface Check extends CheckFacts {
  /** Its levels in the versions of the requirements before it got the present one, from version 1 on. */
  readonly earlier?: readonly (Level | 'absent')[];
  readonly stage: Stage;
  /** Ids of checks that must have passed in the same run (its positive controls), and capabilities. */
  readonly needs: readonly string[];
  /** How many users it signs up, 1 by default; `concurrent`: as the run is set to. */
  readonly users?: number | 'concurrent';
  /** It shares nothing with others, so it may always run in parallel. */
  readonly isIndependent?: boolean;
  readonly fewerWillDo?: boolean;
  /** Part of the production subset: by valid requests of its one user, or by judging what the others exchange. */
  readonly production?: 'sends' | 'reviews';
  readonly run: CheckRun<CheckContext>;
  /** Judges what has been exchanged, as far as that can be seen without sending anything. */
  readonly review?: Review;
}

/** Returns if nothing is wrong with the exchanges of the record; else the helpers of expect.ts throw the verdict. */
export type Review = (record: RunRecord, clientId?: string) => void;

/** Sends requests and returns if the check passes; else the helpers of expect.ts throw the verdict. */
// biome-ignore lint/suspicious/noConfusingVoidType: a check with nothing to add just returns
export type CheckRun<Context> = (context: Context) => Promise<Passed | void>;

/** A check as its file defines it; see `complete` for the defaults. */
export type Definition<C extends Defaulted> = Omit<C, keyof Defaulted> &
  Partial<Pick<C, keyof Defaulted>>;

type Defaulted = Pick<Check, 'level' | 'stage' | 'polarity' | 'needs'>;

export type CheckDefinition = Definition<Check>;

/** Adds the defaults: a `must` of the foundation without needs, positive but for wrong requests. */
export function complete<D extends Partial<Defaulted>>(definition: D): D & Defaulted {
  const { level = 'must', stage = 'foundation', needs = [] } = definition;
  const { polarity = stage === 'wrong-requests' ? 'negative' : 'positive' } = definition;
  return { ...definition, level, stage, needs, polarity };
}

/** What a `should` consists of that judges what the other checks exchange, and sends nothing. */
export function reviewing(review: Review) {
  const run: Check['run'] = async ({ record }) => review(record);
  const needs = ['key-exchange/answers-success'];
  return { production: 'reviews', level: 'should', stage: 'review', needs, review, run } as const;
}

export interface Passed {
  /** What is odd and harmless, or could not be inspected; sentences. */
  readonly notes?: readonly string[];
  readonly provides?: readonly Capability[];
}

/** What was wrong, in the order of the report. */
export interface Fault {
  /** A user is signed in who must not be, or a secret is disclosed. */
  readonly harm?: 'lets-in' | 'leaks';
  readonly expected: string;
  readonly observed: string;
  readonly diagnosis?: Diagnosis;
  readonly fix: string;
  readonly evidence?: Exchange;
  readonly provides?: readonly Capability[];
}

/** Thrown by the helpers of expect.ts: the check fails. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`expected ${fault.expected}, got ${fault.observed}`);
    this.fault = fault;
  }
}

/** Thrown if the check can't be judged; the message is the reason, a sentence. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
  /** The requirement applies, and was not tested. */
  readonly isUntested: boolean;

  constructor(reason: string, { isUntested = false } = {}) {
    super(reason);
    this.isUntested = isUntested;
  }
}
