import type { CallOutcome, KeyExchangeOutcome } from '../client/call.ts';
import { type Exchange, headerOf, statusOf, unknownStatus } from '../client/exchange.ts';
import { type Cipher, formatCipher } from '../crypto/cipher.ts';
import { diagnoseAccepted } from '../diagnosis/accepted-input.ts';
import { diagnose } from '../diagnosis/catalogue.ts';
import { diagnoseResponse } from '../diagnosis/response.ts';
import { type Diagnosis, hasCode } from '../errors.ts';
import { successCode } from '../protocol/response.ts';
import { capitalised, quoted } from '../text.ts';
import { CheckFailed, CheckSkipped, type Fault, type Passed, type Review } from './check.ts';
import type { CheckContext } from './context.ts';
import { aboutMalformed, type MalformedName, malformedPart } from './malformed.ts';
import type { DrawnKey, RecordedExchange } from './result.ts';

/** Ends the check: it fails. The report says "expected …, observed …" with these words. */
export function fail(fault: Omit<Fault, 'fix'> & { readonly fix?: string }): never {
  throw new CheckFailed({ ...fault, fix: fault.fix ?? fault.diagnosis?.hint ?? '' });
}

/** Ends the check: the requirement can't be broken with this cipher or set-up; `reason` is a sentence. */
export function skip(reason: string): never {
  throw new CheckSkipped(reason);
}

/** Ends the check: it was not tested whether the requirement is met; `reason` is a sentence. */
export function untested(reason: string): never {
  throw new CheckSkipped(reason, { isUntested: true });
}

export function failWith(
  diagnosis: Diagnosis,
  expected: string,
  observed: string,
  evidence?: Exchange,
): never {
  fail({ expected, observed, diagnosis, evidence });
}

/** Whether the response says success; the number zero counts, which the check of the shape reports. */
export function isAccepted({ reading }: CallOutcome<object>): boolean {
  if (reading?.problem?.kind === 'code-not-string') return /^0+$/.test(reading.problem.value);
  return reading?.code === successCode;
}

/** Demands success; `what` is the request, as in "a key exchange". */
export function expectAccepted(outcome: CallOutcome<object>, what: string): void {
  if (isAccepted(outcome)) return;
  fail({
    expected: `${what} to be answered with code "${successCode}"`,
    observed: describeResponse(outcome),
    diagnosis: outcome.diagnosis,
    evidence: outcome.exchange,
  });
}

/** Signs the check's own user up, and finds out why where that is refused; `what` is the registration. */
export async function expectRegistered(context: CheckContext, what: string, userInfo?: string) {
  const key = await context.obtainKey(context.user);
  const outcome = await context.register(context.user, key, { userInfo });
  if (isAccepted(outcome)) return;
  const { withCause } = await import('./refusal.ts');
  expectAccepted(await withCause(outcome, context, { key, userInfo }), what);
}

/**
 * Demands that a malformed request isn't accepted; no response at all counts as refused. A refused
 * connection proves nothing: the request was not sent.
 */
export function expectRefused(outcome: CallOutcome<object>, name: MalformedName): void {
  const about = aboutMalformed(name);
  if (outcome.diagnosis?.code === 'refused') {
    untested(
      `${capitalised(about)} was not sent: the application accepts no connections any more.`,
    );
  }
  if (!isAccepted(outcome)) return;
  const observed = `${capitalised(about)} was answered with code "${successCode}", just like the unmodified request.`;
  fail({
    expected: `a code other than "${successCode}" for ${about}`,
    observed: describeResponse(outcome),
    diagnosis: diagnoseAccepted(observed, ...malformedPart(name)),
    evidence: outcome.exchange,
  });
}

/**
 * Ends the check for a valid registration that got no success, where others of the run did; `message` is a sentence
 * without its full stop.
 */
export function failRegistration(
  outcome: CallOutcome<object>,
  cause: Pick<Diagnosis, 'code' | 'confidence' | 'message'> & Pick<Fault, 'expected'>,
): never {
  const { expected, code, confidence } = cause;
  const isRefused = outcome.exchange.response !== undefined;
  const message = `${cause.message} (${describeResponse(outcome)}).`;
  return fail({
    expected,
    observed: describeResponse(outcome),
    diagnosis: isRefused ? { ...diagnose(code, message), confidence } : outcome.diagnosis,
    evidence: outcome.exchange,
  });
}

/** Runs the positive control, the same request unmodified; if it fails, the check is skipped. */
export async function control<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error;
    return untested(
      `Its positive control, the same request unmodified, was not accepted: expected ${error.fault.expected}, got ${error.fault.observed}.`,
    );
  }
}

/** `HTTP 200, code "A108", message "…"`, or why there is no response. */
export function describeResponse({ exchange, reading, diagnosis }: CallOutcome<object>): string {
  const status = statusOf(exchange);
  if (status === undefined) return `no response (${diagnosis?.code ?? 'unknown'})`;
  const parts = status === unknownStatus ? [] : [`HTTP ${status}`];
  if (reading?.code !== undefined) parts.push(`code ${quoted(reading.code, 40)}`);
  else if (diagnosis !== undefined) parts.push(diagnosis.code);
  if (reading?.message) parts.push(`message ${quoted(reading.message, 80)}`);
  return parts.join(', ');
}

/** Skips the check if the cipher can't use the application's key. */
export function orSkip<T>(cipher: Cipher, build: () => T): T {
  const explain = (error: unknown): never => {
    if (!hasCode(error, 'usage')) throw error;
    return untested(
      `The application's key doesn't fit the cipher ${formatCipher(cipher)}: ${error.message}`,
    );
  };
  try {
    const built = build();
    return built instanceof Promise ? (built.catch(explain) as T) : built;
  } catch (error) {
    return explain(error);
  }
}

/** What is wrong with the fields of an accepted response, `message` included. */
export function diagnoseEnvelope(outcome: CallOutcome<object>): Diagnosis | undefined {
  return outcome.reading?.problem ? outcome.diagnosis : diagnoseMessage(outcome);
}

/** Demands that an accepted response has its fields as the interface says. */
export function expectEnvelope(outcome: CallOutcome<object>, expected: string): void {
  const diagnosis = diagnoseEnvelope(outcome);
  if (diagnosis === undefined) return;
  failWith(diagnosis, expected, describeResponse(outcome), outcome.exchange);
}

/** The review of all accepted responses of an operation. */
export function reviewEnvelopes(
  operation: RecordedExchange['operation'],
  expected: string,
): Review {
  return ({ exchanges }) => {
    const responses = exchanges.filter((recorded) => recorded.operation === operation);
    for (const { outcome } of responses) if (isAccepted(outcome)) expectEnvelope(outcome, expected);
  };
}

/** The review of all right requests of an operation: each must be accepted. */
export function reviewAccepted(operation: RecordedExchange['operation'], what: string): Review {
  return ({ exchanges }) => {
    const sent = exchanges.filter((recorded) => recorded.operation === operation);
    for (const { outcome, intent } of sent) if (intent === 'right') expectAccepted(outcome, what);
  };
}

/** What is wrong with `message` (section 7 rule 1), which outside `verify` is only a note. */
export function diagnoseMessage({ reading, exchange }: CallOutcome<object>): Diagnosis | undefined {
  const { response } = exchange;
  if (reading?.messageProblem === undefined || response === undefined) return undefined;
  const contentType = headerOf(response.headers, 'content-type');
  return diagnoseResponse(reading.messageProblem, { status: response.status, contentType });
}

/**
 * Sends a valid key exchange, the positive control, and then the malformed ones for the same user,
 * all of which must be refused.
 */
export async function expectMalformedRefused(
  context: CheckContext,
  names: readonly MalformedName[],
): Promise<Passed> {
  const what = 'the same key exchange, unmodified';
  await control(() => context.acceptedExchange(context.user, { what }));
  const right = await context.rightExchange(context.user);
  const notes: string[] = [];
  for (const name of names) {
    const { exchange, diagnosis } = await context.expectRefused(name, right);
    if (exchange.response !== undefined) continue;
    const code = diagnosis?.code ?? 'unknown';
    notes.push(`No complete response (${code}) to ${aboutMalformed(name)}.`);
  }
  return { notes };
}

/**
 * Exchanges keys for two users and then registers both; fails if the application mixes them up. With
 * `mayRefuse` it may refuse their codes, also at a registration without the other user; returns
 * whether it accepts them.
 */
export async function expectSeparateUsers(
  context: CheckContext,
  users: readonly [string, string],
  whose: string,
  mayRefuse: boolean,
): Promise<boolean> {
  const keys: string[] = [];
  for (const ptnCd of users) {
    const outcome = await context.exchange(ptnCd);
    if (mayRefuse && !isAccepted(outcome)) return false;
    expectAccepted(outcome, `the key exchange of a user ${whose}`);
    keys.push(context.keyIn(outcome));
  }
  for (const [index, ptnCd] of users.entries()) {
    const outcome = await context.register(ptnCd, keys[index] ?? '');
    if (isAccepted(outcome)) continue;
    if (mayRefuse) {
      const alone = await context.exchange(ptnCd);
      if (!isAccepted(alone)) return false;
      if (!isAccepted(await context.register(ptnCd, context.keyIn(alone)))) return false;
    }
    failRegistration(outcome, {
      expected: `both users ${whose} to register, each with their own key`,
      code: 'shared-state',
      confidence: 'likely',
      message: `After key exchanges of two users ${whose}, a registration with the right key was refused`,
    });
  }
  return true;
}

/** Whether a user of the run was given two keys, the same one twice included. */
export function hasUserWithTwoKeys({ record }: CheckContext): boolean {
  return new Set(record.keys.map(({ ptnCd }) => ptnCd)).size < record.keys.length;
}

/**
 * Exchanges a key twice for the user of a check that reviews the run; returns both exchanges. After malformed
 * requests the first may fail, and none is returned: whether the application survives those is what
 * `protocol/survives-bad-input` judges, and the keys from before can be reviewed all the same.
 */
export async function exchangeTwice(context: CheckContext): Promise<readonly KeyExchangeOutcome[]> {
  const what = 'a key exchange';
  const first = await context.exchange(context.user);
  if (!isAccepted(first) && context.record.malformed.size > 0) return [];
  expectAccepted(first, what);
  const second = await context.acceptedExchange(context.user, { what: `${what} of the same user` });
  return [first, second];
}

/** Draws that many keys, of the users of a check in turn. */
export async function drawKeys(context: CheckContext, count: number): Promise<readonly DrawnKey[]> {
  const keys: DrawnKey[] = [];
  for (let drawn = 0; drawn < count; drawn += 1) {
    const ptnCd = context.users[drawn % context.users.length] ?? '';
    const outcome = await context.acceptedExchange(ptnCd);
    keys.push({ key: context.keyIn(outcome), ptnCd, drawnAt: outcome.exchange.startedAt });
  }
  return keys;
}
