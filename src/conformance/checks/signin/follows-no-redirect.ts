import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { followsNoRedirect as calls } from '../../../diagnosis/signin-calls.ts';
import { fail } from '../../expect.ts';
import type { Attempt, SigninCheckDefinition, SigninContext } from '../../signin-check.ts';
import { lastExchange, tokensOf } from '../../signin-expect.ts';
import { rejectsIn } from '../../signin-refusals.ts';

const fix =
  'Switch off the following of redirects in the HTTP client, and refuse after one: the service is at {auth_url} and nowhere else.';

export const followsNoRedirect: SigninCheckDefinition = {
  id: 'signin/follows-no-redirect',
  title: 'must reject a sign-in whose calls are redirected, and send no secret there',
  section: '5',
  sentence: 'secret_key: sent only in requests to {auth_url}.',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: async (context) => {
    const passed = await rejectsIn(context, 'signin/follows-no-redirect', {
      risk: 'Whoever can make a redirect decides who gets in.',
      fix,
      calls,
    });
    for (const attempt of await context.attempts()) {
      const { scenario, strayRequests } = attempt;
      if (!scenario.name.includes('-redirect-')) continue;
      const leaked = secretsIn(strayRequests.join('\n'), attempt, context);
      if (leaked.length === 0) continue;
      const message = `The application sent ${leaked.join(' and ')} to another server when ${scenario.when}.`;
      fail({
        harm: 'leaks',
        expected: 'no secret where a redirect leads',
        observed: `${leaked.join(' and ')} in a request to another server`,
        diagnosis: { ...diagnosis('redirect', message, fix), calls },
        evidence: lastExchange(attempt),
      });
    }
    return passed;
  },
};

function secretsIn(
  text: string,
  attempt: Attempt,
  { environment: { secretKey, contains } }: SigninContext,
): readonly string[] {
  const secrets = [['secret_key', secretKey] as const, ...tokensOf(attempt)];
  const found = secrets.filter(([, secret]) => contains(text, secret));
  return [...new Set(found.map(([name]) => name))];
}
