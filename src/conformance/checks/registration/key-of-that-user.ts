import type { Check } from '../../check.ts';
import { expectSeparateUsers } from '../../separate-users.ts';

export const keyOfThatUser: Check = {
  id: 'registration/key-of-that-user',
  title: "Two users' interleaved sign-ups both register",
  section: '4.1.2',
  sentence: 'The application decrypts partner_sp with the stored key of ptn_cd.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['registration/without-user-info', 'usable-key'],
  users: 2,
  run: async (context) => {
    const [first = '', second = ''] = context.users;
    await expectSeparateUsers(context, [first, second], 'whose sign-ups are interleaved');
    return undefined;
  },
};
