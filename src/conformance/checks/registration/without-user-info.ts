import type { Check } from '../../check.ts';
import { signUp } from '../../flows.ts';

export const withoutUserInfo: Check = {
  id: 'registration/without-user-info',
  title: 'A valid registration without ubifill is answered with success',
  section: '4.1.2',
  sentence: 'ubifill: required no.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['key-exchange/answers-success', 'usable-key'],
  run: async (context) => {
    await signUp(context, context.user, { what: 'a valid registration without ubifill' });
    return undefined;
  },
};
