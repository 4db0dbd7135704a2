import type { ServiceCheckDefinition } from '../../service.ts';
import { expectSignInsRefused } from '../../service-refusals.ts';

const advice = {
  risk: 'Anyone can invent a token, and sign in as the user whom the service makes of it.',
  fix: 'Look the ptn_token up, or verify its signature, before anything else, and refuse any other with an error code and a message.',
  harm: 'lets-in',
} as const;

export const rejectsUnknownPtnToken: ServiceCheckDefinition = {
  id: 'service/rejects-unknown-ptn-token',
  title: 'must reject an unknown, truncated or missing ptn_token',
  section: '5',
  sentence: 'POST /process/token requires a valid ptn_token.',
  stage: 'wrong-requests',
  needs: ['service/issues-token'],
  run: async (context) => {
    const names = ['ptn-token-invented', 'ptn-token-cut', 'ptn-token-missing'] as const;
    await expectSignInsRefused(context, names, advice);
  },
};
