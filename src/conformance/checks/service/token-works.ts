import { expectAccepted } from '../../expect.ts';
import type { ServiceCheck } from '../../service-check.ts';
import { acsTokenIn } from '../../service-context.ts';

export const tokenWorks: ServiceCheck = {
  id: 'service/token-works',
  title: 'The acs_token that was given out authenticates',
  section: '4.2.2',
  sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['service/issues-token'],
  run: async (context) => {
    const outcome = await context.authenticate(acsTokenIn(context.tokenOutcome()));
    context.signIn.authenticate = outcome;
    expectAccepted(outcome, 'an authenticate request with a fresh acs_token');
    return undefined;
  },
};
