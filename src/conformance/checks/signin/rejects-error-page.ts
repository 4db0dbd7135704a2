import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsErrorPage: SigninCheck = {
  id: 'signin/rejects-error-page',
  title: 'An answer that is no JSON signs nobody in',
  section: '7',
  sentence: 'Every response carries code and message.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: rejectsIn(['authenticate-error-page'], {
    mend: 'Read every answer as JSON and refuse where that fails: an HTTP status of 200 alone says nothing.',
  }),
};
