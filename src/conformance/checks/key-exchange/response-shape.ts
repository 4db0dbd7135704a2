import type { Check } from '../../check.ts';
import { expectAccepted } from '../../expect.ts';
import { expectEnvelope } from '../../shape.ts';

export const responseShape: Check = {
  id: 'key-exchange/response-shape',
  title: 'The answer has code, message and result.enc_partner_key as strings',
  section: '4.1.1',
  sentence: 'Response body: code String, message String, result Object, result.enc_partner_key.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['key-exchange/answers-success'],
  run: async (context) => {
    const outcome = await context.exchange(context.user);
    expectAccepted(outcome, 'a valid key exchange');
    expectEnvelope(outcome, 'code, message and result.enc_partner_key as strings');
    return undefined;
  },
};
