import type { CallOutcome } from '../client/call.ts';
import type { WireRequest } from '../client/exchange.ts';
import type { TokenOutcome } from '../client/signin.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { Diagnosis } from '../errors.ts';
import { successCode } from '../protocol/response.ts';
import { capitalised } from '../text.ts';
import type { Harm } from './check.ts';
import { control, describeResponse, expectAccepted, fail, isAccepted } from './expect.ts';
import { type MalformedSignInName, malformSignIn } from './malformed-sign-in.ts';
import type { ServiceContext } from './service.ts';

/** What a check says of a wrong request that is accepted. */
export interface Advice {
  /** Why it matters: a sentence. */
  readonly risk: string;
  readonly fix: string;
  readonly harm?: Harm;
}

/**
 * Demands that the service refused the request `about` with a response: a connection that is cut
 * is not a refusal (section 7 rule 1).
 */
export function expectServiceRefusal(
  outcome: CallOutcome<object>,
  about: string,
  { risk, fix, harm }: Advice,
): void {
  if (outcome.exchange.response === undefined) failWithoutResponse(outcome, about);
  if (!isAccepted(outcome)) return;
  const message = `${capitalised(about)} was answered with code "${successCode}". ${risk}`;
  fail({
    harm,
    expected: `a code other than "${successCode}" for ${about}`,
    observed: describeResponse(outcome),
    diagnosis: diagnosis('accepted-bad-input', message, fix),
    evidence: outcome.exchange,
  });
}

function failWithoutResponse({ exchange }: CallOutcome<object>, about: string): never {
  const { failure = diagnosis('reset', '', '') } = exchange;
  const seen = didInstead(failure, exchange.partial !== undefined);
  const message = `${capitalised(about)}: the service ${seen}; section 7: every response carries code and message. Without them, an application can't tell a refusal from an outage, and tries again. ${failure.message}`;
  const fix =
    'Read the log of the service at this request: an exception probably ended its handler. Catch it, and respond with an error code and a message.';
  return fail({
    expected: `a response with a code other than "${successCode}" for ${about}`,
    observed: `the service ${seen}`,
    diagnosis: diagnosis(failure.code, message, fix),
    evidence: exchange,
  });
}

function didInstead({ code }: Diagnosis, hasBegun: boolean): string {
  if (code === 'reset' && hasBegun) return 'closed the connection in the middle of its response';
  if (code === 'reset') return 'closed the connection without a response';
  if (code === 'timeout') return 'did not respond in time';
  return hasBegun ? `sent a response that can't be read (${code})` : `did not respond (${code})`;
}

async function expectAllRefused(
  context: ServiceContext,
  names: readonly MalformedSignInName[],
  right: WireRequest,
  advice: Advice,
): Promise<void> {
  for (const name of names) {
    if (differs(name, right)) await context.expectRefused(name, right, advice);
  }
}

/** A text without letters has no other case: the malformed request would be the valid one. */
function differs(name: MalformedSignInName, right: WireRequest): boolean {
  const { request } = malformSignIn(name, right, (size) => new Uint8Array(size));
  return Buffer.compare(request.body, right.body) !== 0;
}

/**
 * Sends malformed token requests, all of which must be refused, and then the unmodified one, the
 * positive control: last, since a service may accept a `ptn_token` only once. Returns its outcome.
 * A new `ptn_token` is used, or the given one.
 */
export async function expectSignInsRefused(
  context: ServiceContext,
  names: readonly MalformedSignInName[],
  advice: Advice,
  given?: string,
): Promise<TokenOutcome> {
  const ptnToken = given ?? (await context.ptnToken());
  await expectAllRefused(context, names, context.tokenRequest(ptnToken), advice);
  return control(async () => {
    const outcome = await context.requestToken(ptnToken);
    expectAccepted(outcome, 'the same token request, unmodified');
    return outcome;
  });
}

/** The same for authenticate requests with the token of that exchange. */
export async function expectAuthenticationsRefused(
  context: ServiceContext,
  names: readonly MalformedSignInName[],
  acsToken: string,
  advice: Advice,
): Promise<void> {
  await expectAllRefused(context, names, context.authenticateRequest(acsToken), advice);
  await control(async () =>
    expectAccepted(await context.authenticate(acsToken), 'an authenticate request'),
  );
}

/** Sends wrong requests, for checks that review refusals, unless another check has sent any. */
export async function provokeRefusal(context: ServiceContext): Promise<void> {
  if (context.base.record.exchanges.some(({ intent }) => intent === 'wrong')) return;
  const right = context.tokenRequest('authcli-to-be-replaced');
  for (const name of ['ptn-token-missing', 'token-client-foreign', 'token-secret-wrong'] as const) {
    await context.sendMalformed(name, right);
  }
}
