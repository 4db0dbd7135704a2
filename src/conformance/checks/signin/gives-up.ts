import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { limitsTime } from '../../../diagnosis/signin-calls.ts';
import { fail } from '../../expect.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { lastExchange } from '../../signin-expect.ts';

const fix =
  'Give each request to the service a time limit, 10 seconds for example, and refuse when it is over.';

export const givesUp: SigninCheckDefinition = {
  id: 'signin/gives-up',
  title: 'should give up a sign-in when the service does not respond in time',
  section: '6',
  sentence: 'Not shown: retries, time-outs and delivery guarantees.',
  level: 'should',
  stage: 'review',
  needs: ['signin/rejects-without-service'],
  run: async (context) => {
    const attempts = await context.attempts();
    const waiting = attempts.find(({ outlasted }) => outlasted);
    if (waiting === undefined) return;
    const { when } = waiting.scenario;
    const message = `The application still waited at the end of the patience of this run when ${when}. A service that hangs then occupies every thread or connection of the application.`;
    fail({
      expected: 'the sign-in to end by itself (--patience)',
      observed: `still waiting when ${when}`,
      diagnosis: { ...diagnosis('timeout', message, fix), calls: limitsTime },
      evidence: lastExchange(waiting),
    });
  },
};
