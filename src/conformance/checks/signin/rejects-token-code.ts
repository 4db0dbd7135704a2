import { rejecting } from '../../signin-expect.ts';

export const rejectsTokenCode = rejecting({
  id: 'signin/rejects-token-code',
  title: 'must sign nobody in after a token response with a code other than "0000"',
  section: '7',
  sentence: 'code "0000" means success.',
  needs: ['signin/accepts-right-sign-in'],
  scenarios: ['token-refused', 'token-refused-with-result'],
  fix: 'Compare code of the token answer with the string "0000" before anything of result is used, whatever the HTTP status is.',
});
