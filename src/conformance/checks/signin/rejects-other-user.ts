import { findsUser } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsOtherUser = rejecting({
  id: 'signin/rejects-other-user',
  title: 'must reject a sign-in with the passcode of a user other than the one named',
  section: '4.2.2',
  sentence: "The application decrypts ptn_sp with the user's stored key.",
  users: 2,
  code: 'other-user',
  risk: 'One user gets in as another.',
  fix: 'Use the key and passcode of the user in result.ptn_cd of the token response, and refuse an unknown user. A key from AUTHCLI_KEY belongs to AUTHCLI_PTN_CD only.',
  calls: findsUser,
});
