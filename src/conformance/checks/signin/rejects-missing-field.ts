import { refusesOnError } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsMissingField = rejecting({
  id: 'signin/rejects-missing-field',
  title: 'must reject a sign-in after a response that lacks a field',
  section: '4.2',
  sentence: 'Response body: result.acs_token, result.ptn_sp.',
  risk: 'Users get in without their passcode.',
  fix: 'Require result, acs_token and ptn_sp before going on; a missing passcode never equals the stored one.',
  calls: refusesOnError,
});
