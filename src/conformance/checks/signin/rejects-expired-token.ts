import { comparesCode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsExpiredToken = rejecting({
  id: 'signin/rejects-expired-token',
  title: 'must sign nobody in with an expired acs_token',
  section: '2.1',
  sentence: 'expire_dt: Access token expiry.',
  scenarios: ['token-expired'],
  risk: 'A sign-in that the service refuses goes through.',
  fix: 'Refuse where the service refuses the acs_token; the user signs in anew with another ptn_token.',
  calls: comparesCode,
});
