import { encodeUserInformation } from '../../../protocol/user.ts';
import type { CheckDefinition } from '../../check.ts';
import { expectRegistered } from '../../expect.ts';

/** Letters of several scripts, composed and within the BMP, as names have them. */
export const unicodeInfo = encodeUserInformation({
  email: 'authcli@example.com',
  name: '홍길동 Zoë Ångström Жук 山田太郎',
  phone: '+82-10-1234-5678',
});

export const unicodeUserInfo: CheckDefinition = {
  id: 'registration/unicode-user-info',
  title: 'must accept names outside ASCII in ubifill',
  section: '2.3',
  sentence: 'The decrypted record exposes three attributes: email, user name and phone number.',
  stage: 'right-requests',
  needs: ['registration/answers-success', 'usable-key'],
  run: async (context) => {
    const what = 'a registration whose ubifill contains a name outside ASCII';
    await expectRegistered(context, what, unicodeInfo);
  },
};
