import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsMissingField: SigninCheck = {
  id: 'signin/rejects-missing-field',
  title: 'An answer that lacks a field signs nobody in',
  section: '4.2',
  sentence: 'Response body: result.acs_token, result.ptn_sp.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: rejectsIn(
    ['token-without-acs-token', 'authenticate-without-result', 'authenticate-without-ptn-sp'],
    {
      mend: 'Demand result, acs_token and ptn_sp before going on; a passcode that did not come is not equal to the stored one.',
    },
  ),
};
