import { refusesOnError } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsWithoutService = rejecting({
  id: 'signin/rejects-without-service',
  title: 'must reject a sign-in while the service is down',
  section: '7',
  sentence:
    'A client library may also surface the HTTP status code and connection failures to the caller as error conditions.',
  holdsUp: true,
  risk: 'Who keeps the application from reaching the service gets in as anybody.',
  fix: 'Refuse if a request gets no whole response; let no exception handler, fallback or cached result go on to success.',
  calls: refusesOnError,
});
