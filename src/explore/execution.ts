import type { CallOutcome } from '../client/call.ts';
import type { Diagnosis } from '../errors.ts';
import type { Expectation } from './model/expectation.ts';
import type { Step } from './sequence.ts';

/** A step as it went. */
export interface SentStep {
  readonly step: Step;
  readonly operation: { readonly id: string; readonly about: string };
  /** The number of its round, from 0; others of the same were under way at the same time. */
  readonly round: number;
  readonly ptnCd: string;
  readonly expected: Expectation;
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

/** What a sequence shows to be wrong. */
export interface Violation {
  /** `answer`: accepted or refused; the others are of responses that were accepted rightly. */
  readonly kind: 'answer' | 'key' | 'key-repeated' | 'leak' | 'other-user' | 'passcode' | 'fields';
  /** The steps that show it: one, or those of one user that were under way at the same time. */
  readonly steps: readonly SentStep[];
  /** "a registration was refused" */
  readonly title: string;
  readonly expected: string;
  readonly why: string;
  readonly observed: string;
  readonly diagnosis?: Diagnosis;
}
