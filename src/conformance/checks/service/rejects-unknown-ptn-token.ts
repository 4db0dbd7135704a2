import type { ServiceCheck } from '../../service-check.ts';
import { expectSignInsRefused } from '../../sign-in-refusals.ts';

export const rejectsUnknownPtnToken: ServiceCheck = {
  id: 'service/rejects-unknown-ptn-token',
  title: 'An unknown, cut or missing ptn_token is refused',
  section: '5',
  sentence: 'POST /process/token requires a valid ptn_token.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['service/issues-token'],
  run: async (context) => {
    await expectSignInsRefused(context, [
      'ptn-token-invented',
      'ptn-token-cut',
      'ptn-token-missing',
    ]);
    return undefined;
  },
};
