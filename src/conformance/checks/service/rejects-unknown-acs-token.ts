import type { ServiceCheckDefinition } from '../../service.ts';

const advice = {
  risk: 'Anyone can invent a token, and is authenticated as the user whom the service makes of it.',
  fix: 'Look the acs_token up among those that were issued, and refuse any other with an error code and a message.',
  harm: 'lets-in',
} as const;

export const rejectsUnknownAcsToken: ServiceCheckDefinition = {
  id: 'service/rejects-unknown-acs-token',
  title: 'must reject an unknown or missing acs_token',
  section: '5',
  sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const right = context.authenticateRequest('authcli-to-be-replaced');
    await context.expectRefused('acs-token-invented', right, advice);
    await context.expectRefused('acs-token-missing', right, advice);
  },
};
