import { comparesCode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsExpiredToken = rejecting({
  id: 'signin/rejects-expired-token',
  title: 'must reject a sign-in with an expired acs_token',
  section: '2.1',
  sentence: 'expire_dt: Access token expiry.',
  risk: 'A sign-in that the service refuses goes through.',
  fix: 'Reject the sign-in if the service refuses the acs_token; the user signs in again with a new ptn_token.',
  calls: comparesCode,
});
