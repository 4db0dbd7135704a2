import type { CheckDefinition } from '../../check.ts';
import { expectAccepted, expectEnvelope, reviewEnvelopes } from '../../expect.ts';
import { plainUserInfo } from '../../test-data.ts';

const expected = 'code and message as strings';

export const responseShape: CheckDefinition = {
  id: 'registration/response-shape',
  title: 'must respond to a registration with code and message as strings',
  section: '4.1.2',
  sentence: 'Response body: code String, message String.',
  production: 'reviews',
  needs: ['registration/answers-success', 'usable-key'],
  review: reviewEnvelopes('registration', expected),
  run: async (context) => {
    const key = await context.obtainKey(context.user);
    const outcome = await context.register(context.user, key, { userInfo: plainUserInfo });
    expectAccepted(outcome, 'a valid registration');
    expectEnvelope(outcome, expected);
  },
};
