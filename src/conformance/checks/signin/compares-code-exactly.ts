import { comparesCode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const comparesCodeExactly = rejecting({
  id: 'signin/compares-code-exactly',
  title: 'must reject a sign-in after a code that is nearly "0000"',
  section: '2.1',
  sentence: 'code: String. Result code; "0000" means success.',
  needs: ['signin/rejects-token-code', 'signin/rejects-authenticate-code'],
  risk: 'An error code of the service, or a response that was not made by it, counts as success.',
  fix: 'Compare code as it came with the string "0000": no parsing as a number, no trimming, no prefix or search, no loose ==, and nothing but a string.',
  calls: comparesCode,
});
