import { rejecting } from '../../signin-expect.ts';

export const rejectsWithoutService = rejecting({
  id: 'signin/rejects-without-service',
  title: 'must sign nobody in while the service cannot be reached',
  section: '7',
  sentence:
    'A client library may also surface the HTTP status code and connection failures to the caller as error conditions.',
  scenarios: ['token-connection-cut', 'authenticate-connection-cut'],
  fix: 'Refuse if a request gets no response; let no exception handler go on to success.',
});
