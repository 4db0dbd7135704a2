import type { Check } from '../../check.ts';
import { expectAccepted } from '../../expect.ts';
import { obtainKey, plainUserInfo } from '../../flows.ts';
import { expectEnvelope } from '../../shape.ts';

export const responseShape: Check = {
  id: 'registration/response-shape',
  title: 'The answer has code and message as strings',
  section: '4.1.2',
  sentence: 'Response body: code String, message String.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['registration/answers-success', 'usable-key'],
  run: async (context) => {
    const key = await obtainKey(context, context.user);
    const outcome = await context.register(context.user, key, { userInfo: plainUserInfo });
    expectAccepted(outcome, 'a valid registration');
    expectEnvelope(outcome, 'code and message as strings');
    return undefined;
  },
};
