import type { CheckDefinition } from '../../check.ts';
import { control } from '../../expect.ts';
import { plainUserInfo } from '../../test-data.ts';

export const rejectsMissingPasscode: CheckDefinition = {
  id: 'registration/rejects-missing-passcode',
  title: 'must reject a registration without partner_sp',
  section: '4.1.2',
  sentence: 'Request body: partner_sp required yes.',
  stage: 'wrong-requests',
  needs: ['registration/answers-success', 'usable-key'],
  run: async (context) => {
    const { user } = context;
    await control(() => context.signUp(user, { userInfo: plainUserInfo }));
    const key = await control(() => context.obtainKey(user));
    const right = context.rightRegistration(user, key, plainUserInfo);
    await context.expectRefused('missing-partner-sp', right);
  },
};
