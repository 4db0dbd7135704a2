import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsExpiredToken: SigninCheck = {
  id: 'signin/rejects-expired-token',
  title: 'A sign-in whose acs_token has expired is refused',
  section: '2.1',
  sentence: 'expire_dt: Access token expiry.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: rejectsIn(['token-expired'], {
    mend: 'Refuse where the service refuses the acs_token; the user signs in anew with another ptn_token.',
  }),
};
