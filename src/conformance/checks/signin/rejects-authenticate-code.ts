import { comparesCode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsAuthenticateCode = rejecting({
  id: 'signin/rejects-authenticate-code',
  title: 'must reject a sign-in after an authenticate response with a code other than "0000"',
  section: '4.2.2',
  sentence: 'When code is not "0000", message carries the error text and result is not used.',
  risk: 'Users get in whom the service has refused to authenticate.',
  fix: 'Compare code of the authenticate response with the string "0000" before anything of result is used, whatever the HTTP status is.',
  calls: comparesCode,
});
