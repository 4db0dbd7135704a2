import { findsUser } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsOtherUser = rejecting({
  id: 'signin/rejects-other-user',
  title: 'must sign nobody in with the passcode of another user than the one named',
  section: '4.2.2',
  sentence: "The application decrypts ptn_sp with the user's stored key.",
  users: 2,
  scenarios: ['ptn-cd-other'],
  code: 'other-user',
  risk: 'One user gets in as another.',
  fix: 'Take key and passcode of the user whom result.ptn_cd of the token response names, of no other user, and refuse where it names a user who is not known. Where the key comes from AUTHCLI_KEY, it is that of AUTHCLI_PTN_CD alone.',
  calls: findsUser,
});
