import { readJson } from '../../../protocol/json.ts';
import { fail } from '../../expect.ts';
import type { Attempt, ReceivedCall, SigninCheckDefinition } from '../../signin-check.ts';
import { acsTokensOf, callsTo, fieldsIn, lastExchange } from '../../signin-expect.ts';

const fix =
  'Use an acs_token for one sign-in only: request a new one with each ptn_token, send it once, and do not store it.';

export const acsTokenOnce: SigninCheckDefinition = {
  id: 'signin/acs-token-once',
  title: 'should request a new acs_token for each sign-in, and send it once',
  section: '5',
  sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
  level: 'should',
  stage: 'right-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: async (context) => {
    const first = await context.rightSignIn();
    const second = await context.rightSignInAgain();
    for (const attempt of [first, second]) expectBothRequests(attempt);
    const earlier = acsTokensOf(first);
    const kept = callsTo(second, 'authenticate').find((call) =>
      earlier.includes(tokenIn(call) ?? ''),
    );
    const observed = 'the acs_token of the sign-in before';
    if (kept !== undefined) failOnce('a new acs_token in the second sign-in', observed, kept);
    for (const attempt of [first, second]) expectOnce(attempt);
  },
};

function failOnce(expected: string, observed: string, call: ReceivedCall | undefined): never {
  return fail({ expected, observed, fix, evidence: call?.exchange });
}

/** One token request and one authenticate request that were answered, at least. */
function expectBothRequests(attempt: Attempt): void {
  const tokens = callsTo(attempt, 'token').filter(hasResponse);
  const observed = `${tokens.length} token requests that were answered`;
  if (tokens.length > 1) failOnce('one token request in a sign-in', observed, tokens.at(-1));
  const { conclusion, user } = attempt;
  if (conclusion.verdict !== 'signed-in' || callsTo(attempt, 'authenticate').length > 0) return;
  fail({
    harm: 'lets-in',
    expected: 'an authenticate request in each sign-in',
    observed: `${conclusion.how}: ${user.ptnCd} signed in after the token request alone`,
    fix,
    evidence: lastExchange(attempt),
  });
}

/** A request that got no whole response may be sent again. */
function expectOnce(attempt: Attempt): void {
  const answered = callsTo(attempt, 'authenticate').filter(hasResponse);
  const tokens = answered.map(tokenIn);
  const again = answered.find(
    (_, at) => tokens[at] !== undefined && tokens.indexOf(tokens[at]) < at,
  );
  const observed = 'the same acs_token again, after the service had responded to it';
  if (again !== undefined) failOnce('one authenticate request with an acs_token', observed, again);
}

function tokenIn(call: ReceivedCall): string | undefined {
  const token = fieldsIn(call)?.acs_token;
  return typeof token === 'string' ? token : undefined;
}

function hasResponse({ exchange }: ReceivedCall): boolean {
  return exchange.response !== undefined && readJson(exchange.response.body).ok;
}
