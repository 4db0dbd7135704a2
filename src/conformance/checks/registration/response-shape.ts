import type { CheckDefinition } from '../../check.ts';
import { expectAccepted, expectEnvelope } from '../../expect.ts';
import { plainUserInfo } from '../../test-data.ts';

export const responseShape: CheckDefinition = {
  id: 'registration/response-shape',
  title: 'must respond to a registration with code and message as strings',
  section: '4.1.2',
  sentence: 'Response body: code String, message String.',
  needs: ['registration/answers-success', 'usable-key'],
  run: async (context) => {
    const key = await context.obtainKey(context.user);
    const outcome = await context.register(context.user, key, { userInfo: plainUserInfo });
    expectAccepted(outcome, 'a valid registration');
    expectEnvelope(outcome, 'code and message as strings');
  },
};
