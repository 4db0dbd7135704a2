import { rejecting } from '../../signin-expect.ts';

export const rejectsExpiredToken = rejecting({
  id: 'signin/rejects-expired-token',
  title: 'must sign nobody in with an expired acs_token',
  section: '2.1',
  sentence: 'expire_dt: Access token expiry.',
  scenarios: ['token-expired'],
  fix: 'Refuse where the service refuses the acs_token; the user signs in anew with another ptn_token.',
});
