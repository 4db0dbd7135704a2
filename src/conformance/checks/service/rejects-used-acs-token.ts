import type { ServiceCheck } from '../../service-check.ts';
import { acsTokenIn } from '../../service-context.ts';
import { expectSignInRefused, sendSpoilt } from '../../sign-in-refusals.ts';

export const rejectsUsedAcsToken: ServiceCheck = {
  id: 'service/rejects-used-acs-token',
  title: 'An acs_token authenticates once',
  section: '8',
  sentence: 'Limits: not shown (rate limits, size limits, access-token lifetime).',
  level: 'should',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const right = context.authenticateRequest(acsTokenIn(context.tokenOutcome()));
    const { outcome, about } = await sendSpoilt(context, 'acs-token-used', right);
    const mend = 'Take each acs_token once, and mark it as used in the same step that looks it up.';
    expectSignInRefused(outcome, about, mend);
    return undefined;
  },
};
