import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsWrongPasscode: SigninCheck = {
  id: 'signin/rejects-wrong-passcode',
  title: 'A passcode other than the stored one signs nobody in',
  section: '4.2.2',
  sentence:
    "The application decrypts ptn_sp with the user's stored key. It checks the result for equality with the stored partner_sp.",
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: rejectsIn(['passcode-other'], {
    code: 'passcode-mismatch',
    mend: 'Compare the decrypted ptn_sp with the stored passcode of the user, and refuse where they differ.',
  }),
};
