import type { CallOutcome } from '../client/call.ts';
import { headerOf } from '../client/exchange.ts';
import { diagnoseAnswer } from '../diagnosis/answer.ts';
import type { Diagnosis } from '../errors.ts';
import { describeAnswer, failWith } from './expect.ts';

/** Demands that an accepted answer has its fields, `message` included, as the interface says. */
export function expectEnvelope(outcome: CallOutcome<object>, expected: string): void {
  const diagnosis = outcome.reading?.problem ? outcome.diagnosis : diagnoseMessage(outcome);
  if (diagnosis === undefined) return;
  failWith(diagnosis, expected, describeAnswer(outcome), outcome.exchange);
}

/** What is wrong with `message` (section 7 rule 1), which outside `verify` is no more than a note. */
export function diagnoseMessage({ reading, exchange }: CallOutcome<object>): Diagnosis | undefined {
  const { answer } = exchange;
  if (reading?.messageProblem === undefined || answer === undefined) return undefined;
  const contentType = headerOf(answer.headers, 'content-type');
  return diagnoseAnswer(reading.messageProblem, { status: answer.status, contentType });
}
