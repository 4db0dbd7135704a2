import { refusesOnError } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsErrorStatus = rejecting({
  id: 'signin/rejects-error-status',
  title: 'must reject a sign-in after HTTP 500, 502 or 503 without a result',
  section: '7',
  sentence:
    'A client library may also surface the HTTP status code and connection failures to the caller as error conditions.',
  needs: ['signin/rejects-missing-field', 'signin/rejects-error-page'],
  risk: 'Anybody gets in while the service is down.',
  fix: 'Refuse after an error of the service, and let no exception handler, fallback or default go on to success.',
  calls: refusesOnError,
});
