import { fail } from '../../expect.ts';
import type { SigninCheck } from '../../signin-check.ts';
import { anyCalls } from '../../signin-expect.ts';

export const method: SigninCheck = {
  id: 'signin/method',
  title: 'Both requests are sent with POST',
  section: '4.2',
  sentence: 'All requests are HTTP POST.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    const calls = anyCalls(await context.rightSignIn());
    const wrong = calls.find(({ exchange }) => exchange.request.method !== 'POST');
    if (wrong === undefined) return undefined;
    return fail({
      expected: 'POST',
      observed: `${wrong.exchange.request.method} ${wrong.path}`,
      mend: 'Send both requests with POST, the fields as JSON in the body.',
      evidence: wrong.exchange,
    });
  },
};
