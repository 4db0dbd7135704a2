import type { CheckDefinition } from '../../check.ts';
import { expectEnvelope, reviewEnvelopes } from '../../expect.ts';

const expected = 'code, message and result.enc_partner_key as strings';

export const responseShape: CheckDefinition = {
  id: 'key-exchange/response-shape',
  title: 'must respond to a key exchange with code, message and result.enc_partner_key as strings',
  section: '4.1.1',
  sentence: 'Response body: code String, message String, result Object, result.enc_partner_key.',
  production: 'reviews',
  needs: ['key-exchange/answers-success'],
  review: reviewEnvelopes('key-exchange', expected),
  run: async (context) => {
    const outcome = await context.acceptedExchange(context.user, { what: 'a valid key exchange' });
    expectEnvelope(outcome, expected);
  },
};
