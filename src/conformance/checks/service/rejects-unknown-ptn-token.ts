import type { ServiceCheckDefinition } from '../../service.ts';
import { expectSignInsRefused } from '../../service-refusals.ts';

export const rejectsUnknownPtnToken: ServiceCheckDefinition = {
  id: 'service/rejects-unknown-ptn-token',
  title: 'must reject an unknown, truncated or missing ptn_token',
  section: '5',
  sentence: 'POST /process/token requires a valid ptn_token.',
  stage: 'wrong-requests',
  needs: ['service/issues-token'],
  run: async (context) => {
    await expectSignInsRefused(context, [
      'ptn-token-invented',
      'ptn-token-cut',
      'ptn-token-missing',
    ]);
  },
};
