import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsWithoutService: SigninCheck = {
  id: 'signin/rejects-without-service',
  title: 'A service that cannot be reached signs nobody in',
  section: '7',
  sentence:
    'A client library may also surface the HTTP status code and connection failures to the caller as error conditions.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: rejectsIn(['token-connection-cut', 'authenticate-connection-cut'], {
    mend: 'Refuse where a request gets no answer; let no exception handler go on to success.',
  }),
};
