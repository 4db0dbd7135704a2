import { refusesOnError } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsUndecryptable = rejecting({
  id: 'signin/rejects-undecryptable',
  title: 'must reject a sign-in with a ptn_sp that cannot be decrypted',
  section: '4.2.2',
  sentence: "The application decrypts ptn_sp with the user's stored key.",
  risk: 'Anybody gets in with a made-up ptn_sp.',
  fix: 'Refuse if decryption fails: check what it returns (openssl_decrypt gives false), verify the tag of GCM, and let no exception handler go on to success.',
  calls: refusesOnError,
});
