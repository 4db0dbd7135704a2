import { expectAccepted } from '../../expect.ts';
import type { ServiceCheck } from '../../service-check.ts';

export const issuesToken: ServiceCheck = {
  id: 'service/issues-token',
  title: 'A valid token request is answered with success',
  section: '4.2.1',
  sentence: 'POST {auth_url}/process/token: code "0000" on success.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    const outcome = await context.requestToken(await context.ptnToken());
    context.signIn.token = outcome;
    expectAccepted(outcome, 'a token request with a valid ptn_token');
    return undefined;
  },
};
