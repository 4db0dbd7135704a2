import type { CheckDefinition } from '../../check.ts';
import { expectSeparateUsers } from '../../expect.ts';

export const keyOfThatUser: CheckDefinition = {
  id: 'registration/key-of-that-user',
  title: 'must keep apart the keys of two users whose sign-ups are interleaved',
  section: '4.1.2',
  sentence: 'The application decrypts partner_sp with the stored key of ptn_cd.',
  needs: ['registration/without-user-info', 'usable-key'],
  users: 2,
  run: async (context) => {
    const [first = '', second = ''] = context.users;
    await expectSeparateUsers(context, [first, second], 'whose sign-ups are interleaved', false);
  },
};
