import type { SigninCheckDefinition } from '../../signin-check.ts';
import { everyCall } from '../../signin-expect.ts';

export const method: SigninCheckDefinition = {
  id: 'signin/method',
  title: 'must send both requests with POST',
  section: '4.2',
  sentence: 'All requests are HTTP POST.',
  ...everyCall(({ path, exchange: { request } }) => {
    if (request.method === 'POST') return undefined;
    return {
      expected: 'POST',
      observed: `${request.method} ${path}`,
      fix: 'Send both requests with POST, the fields as JSON in the body.',
    };
  }),
};
