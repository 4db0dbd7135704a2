import { expectAccepted, reviewAccepted } from '../../expect.ts';
import type { ServiceCheckDefinition } from '../../service.ts';

export const issuesToken: ServiceCheckDefinition = {
  id: 'service/issues-token',
  title: 'must accept a valid token request',
  section: '4.2.1',
  sentence: 'POST {auth_url}/process/token: code "0000" on success.',
  review: reviewAccepted('token', 'a token request'),
  run: async (context) => {
    const outcome = await context.requestToken(await context.ptnToken());
    context.signIn.token = outcome;
    expectAccepted(outcome, 'a token request with a valid ptn_token');
  },
};
