import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsOtherUser: SigninCheck = {
  id: 'signin/rejects-other-user',
  title: 'A passcode of another user than the one who is named signs nobody in',
  section: '4.2.2',
  sentence: "The application decrypts ptn_sp with the user's stored key.",
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  users: 2,
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: rejectsIn(['token-other-user'], {
    code: 'other-user',
    mend: 'Take key and passcode of the user whom result.ptn_cd of the token answer names, of nobody else, and refuse where it names a user who is not known. Where the key comes from AUTHCLI_KEY, it is that of AUTHCLI_PTN_CD alone.',
  }),
};
