import type { ServiceCheck } from '../../service-check.ts';
import { expectSignInRefused, sendSpoilt } from '../../sign-in-refusals.ts';

export const rejectsUnknownAcsToken: ServiceCheck = {
  id: 'service/rejects-unknown-acs-token',
  title: 'An unknown or missing acs_token is refused',
  section: '5',
  sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const right = context.authenticateRequest('authcli-to-be-replaced');
    for (const name of ['acs-token-invented', 'acs-token-missing'] as const) {
      const { outcome, about } = await sendSpoilt(context, name, right);
      expectSignInRefused(outcome, about);
    }
    return undefined;
  },
};
