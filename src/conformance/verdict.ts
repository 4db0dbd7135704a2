import type { Exchange } from '../client/exchange.ts';
import type { Diagnosis } from '../errors.ts';
import type { Capability } from './check.ts';

/** What a check that holds may say beside. */
export interface Passed {
  /** What is odd and harmless, or could not be looked at; sentences. */
  readonly notes?: readonly string[];
  readonly provides?: readonly Capability[];
}

/** What was wrong, in the order in which a report shows it. */
export interface Fault {
  readonly expected: string;
  readonly observed: string;
  /** The cause, where there is a code for it. */
  readonly diagnosis?: Diagnosis;
  /** What to change in the application. */
  readonly mend: string;
  /** The exchange that shows it. */
  readonly evidence?: Exchange;
  readonly provides?: readonly Capability[];
}

/** Thrown by the helpers of expect.ts: the check does not hold. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(`expected ${fault.expected}, got ${fault.observed}`);
    this.fault = fault;
  }
}

/** Thrown where the check can't be judged; the message is the reason, a sentence. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

/** A failure by a refusal, with what else may be the reason for it; any other error as it is. */
export function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof CheckFailed) || error.fault.diagnosis?.code !== 'code-not-success') {
    return error;
  }
  return new CheckFailed({ ...error.fault, mend: `${error.fault.mend} ${hint}` });
}
