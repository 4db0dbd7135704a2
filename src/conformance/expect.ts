import type { CallOutcome } from '../client/call.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { diagnoseBehaviour } from '../diagnosis/behaviour.ts';
import type { Diagnosis } from '../errors.ts';
import { successCode } from '../protocol/answer.ts';
import { excerptOf } from '../text.ts';
import { CheckFailed, CheckSkipped, type Fault } from './verdict.ts';

/** Ends the check: it does not hold. The report says "expected …, got …" with these words. */
export function fail(fault: Omit<Fault, 'mend'> & { readonly mend?: string }): never {
  throw new CheckFailed({ ...fault, mend: fault.mend ?? fault.diagnosis?.hint ?? '' });
}

/** Ends the check: it can't be judged, for this reason (a sentence). */
export function skip(reason: string): never {
  throw new CheckSkipped(reason);
}

/** Ends the check with a diagnosis of what was seen. */
export function failWith(
  diagnosis: Diagnosis,
  expected: string,
  observed: string,
  evidence?: Exchange,
): never {
  fail({ expected, observed, diagnosis, evidence });
}

/**
 * Whether the answer says success. A `code` that is the number zero counts: the application meant
 * success, and the check of the shape tells the rest.
 */
export function isAccepted({ reading }: CallOutcome<object>): boolean {
  if (reading?.problem?.kind === 'code-not-string') return /^0+$/.test(reading.problem.value);
  return reading?.code === successCode;
}

/** Demands success; `what` is the request, as in "a key exchange". */
export function expectAccepted(outcome: CallOutcome<object>, what: string): void {
  if (isAccepted(outcome)) return;
  fail({
    expected: `${what} to be answered with code "${successCode}"`,
    observed: describeAnswer(outcome),
    diagnosis: outcome.diagnosis,
    evidence: outcome.exchange,
  });
}

/**
 * Demands that a wrong request isn't answered with success. No answer at all is no success; the
 * checks that demand an answer say so themselves.
 */
export function expectRefused(outcome: CallOutcome<object>, about: string): void {
  if (!isAccepted(outcome)) return;
  const observed = `${about.charAt(0).toUpperCase()}${about.slice(1)} was answered with code "${successCode}"; the same request, unspoilt, is accepted too.`;
  fail({
    expected: `a code other than "${successCode}" for ${about}`,
    observed: describeAnswer(outcome),
    diagnosis: diagnoseBehaviour('accepted-bad-input', observed),
    evidence: outcome.exchange,
  });
}

/**
 * Runs the positive control of a wrong request, the same request unspoilt: where that isn't
 * accepted, the check says nothing and is skipped.
 */
export async function control<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    return skip(
      `Its positive control, the same request unspoilt, was not accepted: expected ${error.fault.expected}, got ${error.fault.observed}.`,
    );
  }
}

/** The answer in a few words: `HTTP 200, code "A108", message "…"`, or why there is none. */
export function describeAnswer({ exchange, reading, diagnosis }: CallOutcome<object>): string {
  const status = statusOf(exchange);
  if (status === undefined) return `no answer (${diagnosis?.code ?? 'unknown'})`;
  const parts = [`HTTP ${status}`];
  if (reading?.code !== undefined) parts.push(`code ${quoted(reading.code, 40)}`);
  else if (diagnosis !== undefined) parts.push(diagnosis.code);
  if (reading?.message) parts.push(`message ${quoted(reading.message, 80)}`);
  return parts.join(', ');
}

function quoted(text: string, max: number): string {
  return `"${excerptOf(text, max)}"`;
}
