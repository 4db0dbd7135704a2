import { fail } from '../../expect.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';

/** A few tries are good manners, with pauses; these are not. */
const most = 10;

export const noRetryStorm: SigninCheckDefinition = {
  id: 'signin/no-retry-storm',
  title: 'should send no more than ten requests in one sign-in',
  section: '6',
  sentence: 'Not shown: retries, time-outs and delivery guarantees.',
  level: 'should',
  stage: 'review',
  run: async (context) => {
    const attempts = await context.attempts();
    const [longest] = [...attempts].sort((a, b) => b.calls.length - a.calls.length);
    if (longest === undefined || longest.calls.length <= most) return;
    return fail({
      expected: `at most ${most} requests in one sign-in`,
      observed: `${longest.calls.length} requests in the sign-in "${longest.scenario.name}"`,
      fix: 'Limit the retries and back off between them; do not repeat a request that the service refused with a code.',
      evidence: longest.calls.at(-1)?.exchange,
    });
  },
};
