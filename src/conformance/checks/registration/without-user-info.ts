import { type CheckDefinition, withCauseOf } from '../../check.ts';

export const withoutUserInfo: CheckDefinition = {
  id: 'registration/without-user-info',
  title: 'must accept a valid registration without ubifill',
  section: '4.1.2',
  sentence: 'ubifill: required no.',
  production: 'sends',
  needs: ['key-exchange/answers-success', 'usable-key'],
  run: async (context) => {
    const what = 'a valid registration without ubifill';
    await context.signUp(context.user, { what }).catch((error: unknown) => {
      if (!context.hasPassed('registration/answers-success')) throw error;
      throw withCauseOf(
        error,
        'With ubifill a registration was accepted.',
        'Accept a registration without ubifill, which is optional (section 4.1.2).',
      );
    });
  },
};
