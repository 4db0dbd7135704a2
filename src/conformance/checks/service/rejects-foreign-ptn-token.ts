import { skip } from '../../expect.ts';
import type { ServiceCheckDefinition } from '../../service.ts';

const advice = {
  risk: 'Whoever runs another application can pass the tokens of its users on, and sign in here as them.',
  fix: 'Store with each ptn_token the client it was issued for, or sign that with it, and compare it with client_id.',
  harm: 'lets-in',
} as const;

export const rejectsForeignPtnToken: ServiceCheckDefinition = {
  id: 'service/rejects-foreign-ptn-token',
  title: 'must reject a ptn_token that was issued for another client',
  section: '5',
  sentence: 'POST /process/token requires a valid ptn_token, created by the client library.',
  stage: 'wrong-requests',
  needs: ['service/issues-token'],
  run: async (context) => {
    const foreign = context.foreignPtnToken() ?? skip('No ptn_token of another client was given.');
    await context.expectRefused('ptn-token-foreign', context.tokenRequest(foreign), advice);
  },
};
