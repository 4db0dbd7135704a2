import { rejecting } from '../../signin-expect.ts';

export const rejectsMissingField = rejecting({
  id: 'signin/rejects-missing-field',
  title: 'must sign nobody in after a response that lacks a field',
  section: '4.2',
  sentence: 'Response body: result.acs_token, result.ptn_sp.',
  scenarios: [
    'token-without-acs-token',
    'authenticate-without-result',
    'authenticate-without-ptn-sp',
  ],
  fix: 'Demand result, acs_token and ptn_sp before going on; a passcode that did not come is not equal to the stored one.',
});
