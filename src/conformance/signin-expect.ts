import type { Exchange } from '../client/exchange.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { sendsNoMark } from '../diagnosis/signin-calls.ts';
import { isJsonObject, type JsonObject, objectIn, readJson, textIn } from '../protocol/json.ts';
import { counted, ownProperty } from '../text.ts';
import { fail, failWith, untested } from './expect.ts';
import type { Attempt, ReceivedCall, SigninCheck } from './signin-check.ts';

type SigninOperation = 'token' | 'authenticate';

/** The fields of each request, all of them strings. */
export const requestFields: Readonly<Record<SigninOperation, readonly string[]>> = {
  token: ['client_id', 'secret_key', 'ptn_token'],
  authenticate: ['client_id', 'secret_key', 'acs_token'],
};

export function callsTo({ calls }: Attempt, operation: SigninOperation): readonly ReceivedCall[] {
  return calls.filter((call) => call.operation === operation);
}

/** The first call to the endpoint; skips the check without one, which another check reports. */
export function firstCallTo(attempt: Attempt, operation: SigninOperation): ReceivedCall {
  const [call] = callsTo(attempt, operation);
  return call ?? untested(`The application sent no ${operation} request.`);
}

/** Judges the calls of the valid sign-in in turn; the first fault fails the check. */
export function everyCall(
  judge: (
    call: ReceivedCall,
    secretKey: Secret,
  ) => Omit<Parameters<typeof fail>[0], 'evidence'> | undefined,
): Pick<SigninCheck, 'run' | 'reviewCall'> {
  const reviewCall: SigninCheck['reviewCall'] = (call, secretKey) => {
    const fault = judge(call, secretKey);
    if (fault !== undefined) fail({ ...fault, evidence: call.exchange });
  };
  return {
    reviewCall,
    run: async (context) => {
      const { calls } = await context.rightSignIn();
      if (calls.length === 0) untested('The application sent no request to the service.');
      for (const call of calls) reviewCall(call, context.environment.secretKey);
    },
  };
}

export function fieldsIn({ exchange }: ReceivedCall): JsonObject | undefined {
  return objectIn(exchange.request.body);
}

function responseTo({ exchange }: ReceivedCall): JsonObject {
  return objectIn(exchange.response?.body ?? new Uint8Array()) ?? {};
}

/** What the emulated service issued at a sign-in. */
export function acsTokensOf(attempt: Attempt): readonly string[] {
  return callsTo(attempt, 'token').flatMap(
    (call) => textIn(ownProperty(responseTo(call), 'result'), 'acs_token') ?? [],
  );
}

/** The tokens of a sign-in, by their names. */
export function tokensOf(attempt: Attempt): readonly (readonly [string, Secret])[] {
  return [
    ['ptn_token', Secret.text(attempt.ptnToken)],
    ...acsTokensOf(attempt).map((token) => ['acs_token', Secret.text(token)] as const),
  ];
}

export function expectSignedIn(attempt: Attempt, fix: string): void {
  const { conclusion, user } = attempt;
  if (conclusion.verdict === 'signed-in') return;
  fail({
    expected: `${user.ptnCd} to be signed in when the service accepts the sign-in`,
    observed: `${conclusion.how}, ${requestsIn(attempt)}`,
    diagnosis: conclusion.diagnosis,
    fix,
    evidence: conclusion.exchange?.failure ? conclusion.exchange : lastExchange(attempt),
  });
}

/** "after 2 requests to the service, the last answered with code "E101", message "The body …"". */
function requestsIn({ calls }: Attempt): string {
  const last = calls.at(-1);
  if (last === undefined) return 'without a request to the service';
  const { code = '', message } = responseTo(last);
  const count = counted(calls.length, 'request');
  const said = message ? `, message ${JSON.stringify(message)}` : '';
  return `after ${count} to the service, the last answered with code ${JSON.stringify(code)}${said}`;
}

export function lastExchange({ calls, conclusion }: Attempt): Exchange | undefined {
  return calls.at(-1)?.exchange ?? conclusion.exchange;
}

/** Demands a JSON object with these fields and a value that each may have; values of other types are another check's. */
export function expectFields(
  { operation, exchange }: ReceivedCall,
  required: Readonly<Record<string, string | readonly string[]>>,
) {
  const evidence = exchange;
  const reading = readJson(exchange.request.body);
  if (!reading.ok || !isJsonObject(reading.value)) {
    const observed = reading.ok ? 'JSON that is not an object' : `not JSON (${reading.reason})`;
    const hint =
      'Encode the fields as one JSON object in UTF-8, with a JSON library, not as a form.';
    const cause = diagnosis('not-json', `The body of the request is ${observed}.`, hint);
    failWith(cause, 'a JSON object in the body', observed, evidence);
  }
  if (reading.byteOrderMark) {
    const observed = `a ${operation} request that begins with a byte order mark (EF BB BF)`;
    const message = `The application sent ${observed}, which RFC 8259 section 8.1 forbids: many JSON parsers refuse it.`;
    const cause = diagnosis(
      'byte-order-mark',
      message,
      'Write the body as UTF-8 without the mark.',
    );
    failWith({ ...cause, calls: sendsNoMark }, 'JSON from the first byte', observed, evidence);
  }
  for (const [name, right] of Object.entries(required)) {
    const value = ownProperty(reading.value, name);
    if (value === undefined || value === '' || value === null) {
      const message = `The field "${name}" of the request is missing or empty.`;
      const hint = `Send ${name} in the JSON body, spelled exactly like this.`;
      const cause = diagnosis('field-missing', message, hint);
      failWith(cause, `the field ${name}`, `a ${operation} request without ${name}`, evidence);
    }
    if (typeof value !== 'string' || [right].flat().includes(value)) continue;
    const message = `The request does not contain the ${name} that the application was given.`;
    const cause = diagnosis('field-malformed', message, unchanged(name));
    const expected = `the ${name} that the application was given`;
    failWith(cause, expected, `another text of ${value.length} characters`, evidence);
  }
}

function unchanged(name: string): string {
  return name.endsWith('_token')
    ? `Pass ${name} on unchanged: do not decode, trim or truncate it, or reuse one from an earlier sign-in.`
    : `Use the ${name} of the application's configuration, unchanged.`;
}
