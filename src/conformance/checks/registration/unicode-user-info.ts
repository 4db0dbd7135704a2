import { encodeUserInformation } from '../../../protocol/user-info.ts';
import type { Check } from '../../check.ts';
import { signUp } from '../../flows.ts';

/** Letters of several scripts, composed and within the BMP, as names have them. */
const userInfo = encodeUserInformation({
  email: 'authcli@example.com',
  name: '홍길동 Zoë Ångström Жук 山田太郎',
  phone: '+82-10-1234-5678',
});

export const unicodeUserInfo: Check = {
  id: 'registration/unicode-user-info',
  title: 'Names outside ASCII in ubifill are accepted',
  section: '2.3',
  sentence: 'The decrypted record exposes three attributes: email, user name and phone number.',
  level: 'must',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['registration/answers-success', 'usable-key'],
  run: async (context) => {
    const what = 'a registration whose ubifill holds a name outside ASCII';
    await signUp(context, context.user, { userInfo, what });
    return undefined;
  },
};
