import type { CheckDefinition } from '../../check.ts';
import { expectRegistered } from '../../expect.ts';

export const withoutUserInfo: CheckDefinition = {
  id: 'registration/without-user-info',
  title: 'must accept a valid registration without ubifill',
  section: '4.1.2',
  sentence: 'ubifill: required no.',
  production: 'sends',
  needs: ['key-exchange/answers-success', 'usable-key'],
  run: async (context) => {
    await expectRegistered(context, 'a valid registration without ubifill');
  },
};
