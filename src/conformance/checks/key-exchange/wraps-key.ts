import type { Check } from '../../check.ts';
import { expectAccepted, fail, skip } from '../../expect.ts';
import { isWrapCode } from '../../key-codes.ts';
import type { Passed } from '../../verdict.ts';

export const wrapsKey: Check = {
  id: 'key-exchange/wraps-key',
  title: 'enc_partner_key is Base64 of an RSAES-PKCS1-v1_5 ciphertext under the public_key',
  section: '2.2',
  sentence: 'The cipher is RSA, ECB mode, PKCS1 padding.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['key-exchange/answers-success'],
  run: async (context) => {
    const outcome = await context.exchange(context.user);
    expectAccepted(outcome, 'a valid key exchange');
    const wrapped = outcome.result?.encPartnerKey ?? outcome.reading?.seen.encPartnerKey;
    if (wrapped === undefined) {
      skip('The answer has no enc_partner_key to look at (key-exchange/response-shape).');
    }
    const provides: Passed = { provides: ['readable-key'] };
    const diagnosis = outcome.diagnoses.find(({ code }) => isWrapCode(code));
    if (diagnosis === undefined) return provides;
    return fail({
      expected: 'Base64 of the key under RSAES-PKCS1-v1_5 with the public_key of this request',
      observed: `${wrapped.length} characters that are ${diagnosis.code}`,
      diagnosis,
      evidence: outcome.exchange,
      ...(outcome.key !== undefined && provides),
    });
  },
};
