import type { ServiceCheckDefinition } from '../../service.ts';

export const rejectsUnknownAcsToken: ServiceCheckDefinition = {
  id: 'service/rejects-unknown-acs-token',
  title: 'must reject an unknown or missing acs_token',
  section: '5',
  sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const right = context.authenticateRequest('authcli-to-be-replaced');
    await context.expectRefused('acs-token-invented', right);
    await context.expectRefused('acs-token-missing', right);
  },
};
