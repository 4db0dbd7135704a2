import type { ServiceCheck } from '../../service-check.ts';
import { expectEnvelope } from '../../shape.ts';

export const tokenShape: ServiceCheck = {
  id: 'service/token-shape',
  title: 'The token answer has code, message, acs_token, expire_dt and ptn_cd as strings',
  section: '4.2.1',
  sentence:
    'Response body: code String, message String, result Object, result.acs_token, result.expire_dt, result.ptn_cd.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['service/issues-token'],
  run: async (context) => {
    const outcome = context.tokenOutcome();
    const { problem } = outcome.reading ?? {};
    // What expire_dt holds is the matter of a check of its own.
    if (problem?.kind === 'field-malformed' && problem.field === 'result.expire_dt') {
      return undefined;
    }
    expectEnvelope(outcome, 'code, message, acs_token, expire_dt and ptn_cd as strings');
    return undefined;
  },
};
