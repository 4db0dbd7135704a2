import type { Exchange } from '../client/exchange.ts';
import { diagnosis } from '../diagnosis/catalogue-entry.ts';
import { readJson } from '../protocol/json.ts';
import { isJsonObject, type JsonObject, ownProperty } from '../protocol/json-type.ts';
import { fail, skip } from './expect.ts';
import type { SigninCheck } from './signin-check.ts';
import type { Attempt, ReceivedCall, Scenario } from './signin-world.ts';

/** The two calls of a sign-in. */
export type SigninOperation = 'token' | 'authenticate';

/** The calls to one of the two endpoints, in the order in which they came. */
export function callsTo(
  { calls }: Pick<Attempt, 'calls'>,
  operation: SigninOperation,
): readonly ReceivedCall[] {
  return calls.filter((call) => call.operation === operation);
}

/** The first call to the endpoint; skips the check where there was none, which another one tells. */
export function firstCallTo(attempt: Attempt, operation: SigninOperation): ReceivedCall {
  const [call] = callsTo(attempt, operation);
  return call ?? skip(`The application sent no ${operation} request.`);
}

/** Every call that came; skips the check where there was none. */
export function anyCalls({ calls }: Attempt): readonly ReceivedCall[] {
  return calls.length > 0 ? calls : skip('The application sent no request to the service.');
}

/** The JSON object in the body of the request; undefined where there is none. */
export function fieldsIn({ exchange }: ReceivedCall): JsonObject | undefined {
  const reading = readJson(exchange.request.body);
  return reading.ok && isJsonObject(reading.value) ? reading.value : undefined;
}

/** A text in `result` of what the emulated service answered. */
export function answered({ exchange }: ReceivedCall, name: string): string | undefined {
  const reading = readJson(exchange.answer?.body ?? new Uint8Array());
  const answer = reading.ok && isJsonObject(reading.value) ? reading.value : {};
  const result = ownProperty(answer, 'result');
  const value = isJsonObject(result) ? ownProperty(result, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** What the emulated service answers in each scenario, in words that go on after "when". */
const circumstances: Readonly<Record<Scenario, string>> = {
  right: 'the service accepts the sign-in',
  'token-refused': 'the token request is answered with code "E201"',
  'token-refused-with-result':
    'the token request is answered with code "0001", beside a whole result',
  'token-without-acs-token': 'the token answer has no acs_token',
  'token-expired': 'the acs_token is refused with code "E302", its expire_dt being over',
  'token-other-user': 'the token answer names another user than the one whose passcode comes back',
  'token-connection-cut': 'the connection is cut at the token request',
  'authenticate-refused': 'the authenticate request is answered with code "E301"',
  'authenticate-refused-with-result':
    'the authenticate request is answered with code "0001", beside a whole result',
  'authenticate-without-result': 'the authenticate answer has no result',
  'authenticate-without-ptn-sp': 'the authenticate answer has no ptn_sp',
  'authenticate-error-page':
    'the authenticate request is answered with a page in HTML, HTTP status 200',
  'authenticate-connection-cut': 'the connection is cut at the authenticate request',
  'passcode-other': 'ptn_sp decrypts to another passcode',
  'passcode-longer': 'ptn_sp decrypts to the stored passcode and one character more',
  'passcode-other-case':
    'ptn_sp decrypts to the stored passcode with its letters in the other case',
  'passcode-empty': 'ptn_sp decrypts to nothing',
  'passcode-undecryptable': 'ptn_sp is damaged, so that its padding or tag is wrong',
};

/** The endpoint at which the scenario shows; before it was asked, a refusal says nothing. */
function showsAt(scenario: Scenario): SigninOperation {
  const early: readonly Scenario[] = [
    'token-refused',
    'token-refused-with-result',
    'token-without-acs-token',
    'token-connection-cut',
    'right',
    // Who doesn't know the user, or looks at expire_dt, is right not to go on.
    'token-other-user',
    'token-expired',
  ];
  return early.includes(scenario) ? 'token' : 'authenticate';
}

/** What is demanded where the service says no. */
interface Refusing {
  /** The diagnosis of a user who was signed in; `accepted-bad-answer` unless told. */
  readonly code?: 'accepted-bad-answer' | 'passcode-mismatch' | 'other-user';
  readonly mend: string;
}

/**
 * Demands that the user was not signed in, and gives what is odd all the same. Skips where the
 * application refused before the service had said anything wrong.
 */
function expectSigninRefused(attempt: Attempt, refusing: Refusing): readonly string[] {
  const { scenario, conclusion } = attempt;
  const when = circumstances[scenario];
  const { verdict, how } = conclusion;
  const [call] = callsTo(attempt, showsAt(scenario));
  if (verdict === 'signed-in') {
    const message = `When ${when}, the user was signed in all the same (${how}).`;
    return fail({
      expected: `the sign-in to be refused when ${when}`,
      observed: `${how}: signed in`,
      diagnosis: diagnosis(refusing.code ?? 'accepted-bad-answer', message, refusing.mend),
      evidence: call?.exchange ?? lastExchange(attempt),
    });
  }
  if (call === undefined) {
    skip(
      `The sign-in ended (${how}) before the application had sent a ${showsAt(scenario)} request.`,
    );
  }
  return verdict === 'unclear'
    ? [`It was neither accepted nor refused (${how}) when ${when}.`]
    : [];
}

/** Has the user sign in under each scenario in turn; none may let them in. */
export function rejectsIn(scenarios: readonly Scenario[], refusing: Refusing): SigninCheck['run'] {
  return async (context) => {
    const notes: string[] = [];
    for (const scenario of scenarios) {
      notes.push(...expectSigninRefused(await context.signIn(scenario), refusing));
    }
    return { notes };
  };
}

/** Demands that a right sign-in is accepted. */
export function expectSignedIn(attempt: Attempt, mend: string): void {
  const { conclusion } = attempt;
  if (conclusion.verdict === 'signed-in') return;
  fail({
    expected: 'the user to be signed in when the service accepts the sign-in',
    observed: `${conclusion.how}, ${requestsIn(attempt)}`,
    diagnosis: conclusion.diagnosis,
    mend,
    evidence: conclusion.exchange?.failure ? conclusion.exchange : lastExchange(attempt),
  });
}

/** "after 2 requests to the service, the last answered with code "0000"". */
function requestsIn({ calls }: Attempt): string {
  const last = calls.at(-1);
  if (last === undefined) return 'without a request to the service';
  const reading = readJson(last.exchange.answer?.body ?? new Uint8Array());
  const code = reading.ok && isJsonObject(reading.value) ? ownProperty(reading.value, 'code') : '';
  const count = calls.length === 1 ? '1 request' : `${calls.length} requests`;
  return `after ${count} to the service, the last answered with code ${JSON.stringify(code)}`;
}

function lastExchange({ calls, conclusion }: Attempt): Exchange | undefined {
  return calls.at(-1)?.exchange ?? conclusion.exchange;
}
