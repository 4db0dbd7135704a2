import { comparesCode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsMissingCode = rejecting({
  id: 'signin/rejects-missing-code',
  title: 'must reject a sign-in after a response without a code',
  section: '7',
  sentence: 'Every response carries code and message.',
  needs: ['signin/rejects-token-code', 'signin/rejects-authenticate-code'],
  risk: 'Any JSON, of a proxy or of another service, counts as success.',
  fix: 'Demand the field code at the top of the response, without a default, and refuse unless it is the string "0000".',
  calls: comparesCode,
});
