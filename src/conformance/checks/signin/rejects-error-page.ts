import { refusesOnError } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsErrorPage = rejecting({
  id: 'signin/rejects-error-page',
  title: 'must reject a sign-in after a response that is not JSON',
  section: '7',
  sentence: 'Every response carries code and message.',
  risk: 'Anybody gets in while a proxy or a maintenance page responds in place of the service.',
  fix: 'Parse every response as JSON and refuse if that fails: an HTTP status of 200 alone proves nothing.',
  calls: refusesOnError,
});
