import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsTokenCode: SigninCheck = {
  id: 'signin/rejects-token-code',
  title: 'A token answer with a code other than "0000" signs nobody in',
  section: '7',
  sentence: 'code "0000" means success.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in'],
  run: rejectsIn(['token-refused', 'token-refused-with-result'], {
    mend: 'Compare code of the token answer with the string "0000" before anything of result is used, whatever the HTTP status is.',
  }),
};
