import { comparesPasscode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsWrongPasscode = rejecting({
  id: 'signin/rejects-wrong-passcode',
  title: 'must reject a sign-in with a passcode other than the stored one',
  section: '4.2.2',
  sentence:
    "The application decrypts ptn_sp with the user's stored key. It checks the result for equality with the stored partner_sp.",
  code: 'passcode-mismatch',
  risk: 'The last proof of who signs in is not checked.',
  fix: 'Compare the decrypted ptn_sp with the stored passcode of the user, and refuse if they differ.',
  calls: comparesPasscode,
});
