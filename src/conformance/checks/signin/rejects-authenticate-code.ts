import { rejecting } from '../../signin-expect.ts';

export const rejectsAuthenticateCode = rejecting({
  id: 'signin/rejects-authenticate-code',
  title: 'must sign nobody in after an authenticate response with a code other than "0000"',
  section: '4.2.2',
  sentence: 'When code is not "0000", message carries the error text and result is not used.',
  scenarios: ['authenticate-refused', 'authenticate-refused-with-result'],
  fix: 'Compare code of the authenticate answer with the string "0000" before anything of result is used, whatever the HTTP status is.',
});
