import { comparesCode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsTokenCode = rejecting({
  id: 'signin/rejects-token-code',
  title: 'must reject a sign-in after a token response with a code other than "0000"',
  section: '7',
  sentence: 'code "0000" means success.',
  needs: ['signin/accepts-right-sign-in'],
  risk: 'Anybody gets in with a token that the service has refused.',
  fix: 'Compare code of the token response with the string "0000" before anything of result is used, whatever the HTTP status is.',
  calls: comparesCode,
});
