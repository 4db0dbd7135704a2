import type { CallOutcome } from '../../../client/call.ts';
import { expectEnvelope, isAccepted } from '../../expect.ts';
import type { ServiceCheckDefinition } from '../../service.ts';

export const tokenShape: ServiceCheckDefinition = {
  id: 'service/token-shape',
  title:
    'must respond to a token request with code, message, acs_token, expire_dt and ptn_cd as strings',
  section: '4.2.1',
  sentence:
    'Response body: code String, message String, result Object, result.acs_token, result.expire_dt, result.ptn_cd.',
  needs: ['service/issues-token'],
  review: ({ exchanges }) => {
    for (const { operation, outcome } of exchanges) {
      if (operation === 'token' && isAccepted(outcome)) judge(outcome);
    }
  },
  run: async (context) => {
    judge(context.tokenOutcome());
  },
};

function judge(outcome: CallOutcome<object>): void {
  const { problem } = outcome.reading ?? {};
  // What expire_dt contains is checked by a check of its own.
  if (problem?.kind === 'field-malformed' && problem.field === 'result.expire_dt') return;
  expectEnvelope(outcome, 'code, message, acs_token, expire_dt and ptn_cd as strings');
}
