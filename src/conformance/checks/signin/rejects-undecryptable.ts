import type { SigninCheck } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

export const rejectsUndecryptable: SigninCheck = {
  id: 'signin/rejects-undecryptable',
  title: 'A ptn_sp that cannot be decrypted signs nobody in',
  section: '4.2.2',
  sentence: "The application decrypts ptn_sp with the user's stored key.",
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: rejectsIn(['passcode-undecryptable'], {
    mend: 'Refuse where decrypting fails: look at what it returns (openssl_decrypt gives false), and let no exception handler go on to success.',
  }),
};
