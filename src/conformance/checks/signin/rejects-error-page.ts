import { rejecting } from '../../signin-expect.ts';

export const rejectsErrorPage = rejecting({
  id: 'signin/rejects-error-page',
  title: 'must sign nobody in after a response that is not JSON',
  section: '7',
  sentence: 'Every response carries code and message.',
  scenarios: ['authenticate-error-page'],
  fix: 'Parse every response as JSON and refuse if that fails: an HTTP status of 200 alone says nothing.',
});
