import type { CheckDefinition } from '../../check.ts';

export const withoutUserInfo: CheckDefinition = {
  id: 'registration/without-user-info',
  title: 'must accept a valid registration without ubifill',
  section: '4.1.2',
  sentence: 'ubifill: required no.',
  production: 'sends',
  needs: ['key-exchange/answers-success', 'usable-key'],
  run: async (context) => {
    await context.signUp(context.user, { what: 'a valid registration without ubifill' });
  },
};
