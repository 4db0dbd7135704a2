import { expectAccepted, reviewAccepted } from '../../expect.ts';
import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';

export const tokenWorks: ServiceCheckDefinition = {
  id: 'service/token-works',
  title: 'must accept the acs_token that it issued',
  section: '4.2.2',
  sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
  needs: ['service/issues-token'],
  review: reviewAccepted('authenticate', 'an authenticate request'),
  run: async (context) => {
    const outcome = await context.authenticate(acsTokenIn(context.tokenOutcome()));
    context.signIn.authenticate = outcome;
    expectAccepted(outcome, 'an authenticate request with a fresh acs_token');
  },
};
