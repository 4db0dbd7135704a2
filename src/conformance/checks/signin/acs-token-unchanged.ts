import type { SigninCheckDefinition } from '../../signin-check.ts';
import { acsTokensOf, expectFields, expectSignedIn, firstCallTo } from '../../signin-expect.ts';

export const acsTokenUnchanged: SigninCheckDefinition = {
  id: 'signin/acs-token-unchanged',
  title: 'must send the acs_token of this sign-in as it came',
  section: '5',
  sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
  stage: 'right-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls', 'signin/authenticate-fields'],
  run: async (context) => {
    const attempt = await context.unusualSignIn();
    const issued = acsTokensOf(attempt).slice(-1);
    expectFields(firstCallTo(attempt, 'authenticate'), { acs_token: issued });
    expectSignedIn(
      attempt,
      'Accept any text as acs_token: the interface says nothing about its characters.',
    );
  },
};
