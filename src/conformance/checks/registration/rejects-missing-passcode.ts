import type { Check } from '../../check.ts';
import { control, expectRefused } from '../../expect.ts';
import { obtainKey, plainUserInfo, signUp } from '../../flows.ts';
import { malform } from '../../malformed.ts';

export const rejectsMissingPasscode: Check = {
  id: 'registration/rejects-missing-passcode',
  title: 'A registration without partner_sp is refused',
  section: '4.1.2',
  sentence: 'Request body: partner_sp required yes.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['registration/answers-success', 'usable-key'],
  run: async (context) => {
    const { user } = context;
    await control(() => signUp(context, user, { userInfo: plainUserInfo }));
    const key = await control(() => obtainKey(context, user));
    const right = context.rightRegistration(user, key, plainUserInfo);
    const malformed = malform('missing-partner-sp', right);
    expectRefused(await context.sendMalformed(malformed), malformed.about);
    return undefined;
  },
};
