import type { KeyExchangeOutcome } from '../client/signup.ts';
import { CheckFailed } from '../conformance/check.ts';
import { describeResponse, expectEnvelope, isAccepted } from '../conformance/expect.ts';
import { diagnose } from '../diagnosis/catalogue.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { Diagnosis } from '../errors.ts';
import { capitalised } from '../text.ts';
import type { SentCallback } from './execute.ts';
import type { Execution, SentStep, Violation } from './execution.ts';
import type { ExploreFailure } from './explore.ts';

/** No order of these callbacks explains their responses. */
export function unexpectedCallback(steps: readonly SentCallback[]): Violation {
  return unexpected(steps, 'callbacks', diagnosisOfCallback);
}

/** No order of these steps, `what` in plural, explains their responses. */
export function unexpected<S extends SentStep>(
  steps: readonly S[],
  what: string,
  diagnosisOf: (step: S) => Diagnosis | undefined,
): Violation {
  const [only] = steps;
  if (steps.length > 1 || only === undefined) return unexplained(steps, what);
  const { operation, expected, outcome } = only;
  const accepted = isAccepted(outcome);
  const verb = accepted ? 'was accepted' : 'was not accepted';
  const found = diagnosisOf(only);
  return {
    steps,
    kind: 'answer',
    title: `${operation.about} ${verb}`,
    expected: expected.verdict === 'accepted' ? 'code "0000"' : 'a code other than "0000"',
    why: expected.why,
    observed: describeResponse(outcome),
    ...(found && { diagnosis: found }),
  };
}

function unexplained(steps: readonly SentStep[], what: string): Violation {
  const abouts = steps.map(({ operation }) => operation.about);
  const observed = steps.map(
    ({ operation, outcome }) => `${operation.about}: ${describeResponse(outcome)}`,
  );
  const failed = steps.find(isWronglyRefused);
  return {
    steps,
    kind: 'answer',
    title: `The responses to ${steps.length} simultaneous ${what} of one user fit no order of them (${abouts.join(', ')})`,
    expected: `responses that fit some order of these ${what}`,
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
}: SentCallback): Diagnosis | undefined {
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

/** What should be accepted is refused over a kept connection alone. */
export function diagnoseKeptConnection({
  onKeptConnectionOnly,
  execution,
}: ExploreFailure): Diagnosis | undefined {
  const [step] = execution.violation.steps;
  if (!onKeptConnectionOnly || step === undefined || !isWronglyRefused(step)) return undefined;
  const message = `${capitalised(step.operation.about)} is refused over the connection of the steps before, and accepted over a new one: those steps left something there that affects it.`;
  return diagnosis('shared-state', message, keepNothing);
}

const keepNothing =
  'Keep nothing with a connection, such as a key, a user or what came of a request: find it by what each request contains.';

const refuseAlways =
  'Refuse it each time: examine the fields of every request, not only those of the first one of a user or a connection.';

/** What is wrong with a request that was accepted rightly: its response, or the key in it. */
export function faultOfAccepted(
  step: SentCallback,
  earlierKeys: readonly string[],
): Violation | undefined {
  const { outcome, operation, key } = step;
  if (step.built.model.kind === 'key-exchange' && (!outcome.ok || key === undefined)) {
    const { diagnosis: found = (outcome as KeyExchangeOutcome).diagnoses?.[0] } = outcome;
    return {
      steps: [step],
      kind: 'key',
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
      kind: 'key-repeated',
      title: `${operation.about} returned a key that was given out before`,
      expected: 'a new key',
      why: 'Each key exchange generates a new key for its user (4.1.1).',
      observed: 'the key of an earlier key exchange',
      diagnosis: diagnose('key-repeated', message),
    };
  }
  return envelopeFault(step, 'code and message as strings');
}

/** What is wrong with the fields of an accepted response. */
export function envelopeFault(step: SentStep, fields: string): Violation | undefined {
  try {
    expectEnvelope(step.outcome, fields);
    return undefined;
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    const { expected, observed, diagnosis: found } = error.fault;
    return {
      steps: [step],
      kind: 'fields',
      title: `${step.operation.about} was answered wrongly`,
      expected,
      observed,
      why: 'Every response carries code and message (section 7).',
      ...(found && { diagnosis: found }),
    };
  }
}
