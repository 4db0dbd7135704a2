import type { CallOutcome } from '../client/call.ts';
import type { WireRequest } from '../client/exchange.ts';
import type { TokenOutcome } from '../client/signin.ts';
import { diagnosis } from '../diagnosis/catalogue-entry.ts';
import { successCode } from '../protocol/answer.ts';
import { control, describeAnswer, expectAccepted, fail, isAccepted } from './expect.ts';
import { type MalformedSignInName, malformSignIn } from './malformed-sign-in.ts';
import type { ServiceContext } from './service-context.ts';

/**
 * Sends token requests that are spoilt, all of which must be refused, and then the same request
 * unspoilt, the positive control. It comes last, since a service may take a `ptn_token` once: one
 * that is used up would be refused whatever else is wrong. Gives the answer of the control.
 */
export async function expectSignInsRefused(
  context: ServiceContext,
  names: readonly MalformedSignInName[],
): Promise<TokenOutcome> {
  const ptnToken = await context.ptnToken();
  for (const name of names) {
    const { outcome, about } = await sendSpoilt(context, name, context.tokenRequest(ptnToken));
    expectSignInRefused(outcome, about);
  }
  return control(async () => {
    const outcome = await context.requestToken(ptnToken);
    expectAccepted(outcome, 'the same token request, unspoilt');
    return outcome;
  });
}

const checkFirst =
  'Check client_id, secret_key and the token, all of them from the body, before anything else is done, and answer what is wrong with a code and a message of its own.';

/** Demands that a wrong request isn't answered with success; `mend` says what to change. */
export function expectSignInRefused(
  outcome: CallOutcome<object>,
  about: string,
  mend: string = checkFirst,
): void {
  if (!isAccepted(outcome)) return;
  const observed = `${about.charAt(0).toUpperCase()}${about.slice(1)} was answered with code "${successCode}".`;
  fail({
    expected: `a code other than "${successCode}" for ${about}`,
    observed: describeAnswer(outcome),
    diagnosis: diagnosis('accepted-bad-input', observed, mend),
    evidence: outcome.exchange,
  });
}

/** Sends one request that is spoilt; judges nothing. */
export async function sendSpoilt(
  context: ServiceContext,
  name: MalformedSignInName,
  right: WireRequest,
): Promise<{ readonly outcome: CallOutcome<object>; readonly about: string }> {
  const malformed = malformSignIn(name, right, context.base.randomBytes);
  return { outcome: await context.sendMalformed(malformed), about: malformed.about };
}
