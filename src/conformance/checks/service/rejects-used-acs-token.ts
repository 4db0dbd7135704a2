import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';

const advice = {
  risk: 'Whoever copies a token from a log or a connection can use it after its owner.',
  fix: 'Accept each acs_token once, and mark it as used in the same transaction that looks it up.',
  harm: 'lets-in',
} as const;

export const rejectsUsedAcsToken: ServiceCheckDefinition = {
  id: 'service/rejects-used-acs-token',
  title: 'should accept an acs_token only once',
  section: '8',
  sentence: 'Limits: not shown (rate limits, size limits, access-token lifetime).',
  level: 'should',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const right = context.authenticateRequest(acsTokenIn(context.tokenOutcome()));
    await context.expectRefused('acs-token-used', right, advice);
  },
};
