import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsAuthenticateCode: SigninCheck = {
  id: 'signin/rejects-authenticate-code',
  title: 'An authenticate answer with a code other than "0000" signs nobody in',
  section: '4.2.2',
  sentence: 'When code is not "0000", message carries the error text and result is not used.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: rejectsIn(['authenticate-refused', 'authenticate-refused-with-result'], {
    mend: 'Compare code of the authenticate answer with the string "0000" before anything of result is used, whatever the HTTP status is.',
  }),
};
