import type { KeyExchangeOutcome } from '../../../client/call.ts';
import type { Capability, CheckDefinition } from '../../check.ts';
import { fail, untested } from '../../expect.ts';
import { isAmbiguousForm, isWrapCode } from '../../keys.ts';

export const wrapsKey: CheckDefinition = {
  id: 'key-exchange/wraps-key',
  title: 'must encrypt the key with RSAES-PKCS1-v1_5 under the public_key, in Base64',
  section: '2.2',
  sentence: 'The cipher is RSA, ECB mode, PKCS1 padding.',
  production: 'sends',
  needs: ['key-exchange/answers-success'],
  review: ({ keyExchanges }) => {
    for (const { outcome } of keyExchanges) judge(outcome);
  },
  run: async (context) => {
    const outcome = await context.acceptedExchange(context.user, { what: 'a valid key exchange' });
    const { key, diagnoses } = outcome;
    const wrapped = wrappedIn(outcome);
    const isRead = key !== undefined || diagnoses.length > 0;
    if (wrapped === undefined || !isRead) {
      untested(
        'The response has no enc_partner_key that is a string (key-exchange/response-shape).',
      );
    }
    const isUsable = key !== undefined && !diagnoses.some(({ code }) => isAmbiguousForm(code));
    const usable: readonly Capability[] = isUsable ? ['usable-key'] : [];
    const provides: readonly Capability[] = ['readable-key', ...usable];
    judge(outcome, key === undefined ? undefined : provides);
    return { provides };
  },
};

function wrappedIn({ result, reading }: KeyExchangeOutcome): string | undefined {
  return result?.encPartnerKey ?? reading?.seen.encPartnerKey;
}

function judge(outcome: KeyExchangeOutcome, provides?: readonly Capability[]): void {
  const diagnosis = outcome.diagnoses.find(({ code }) => isWrapCode(code));
  if (diagnosis === undefined) return;
  fail({
    expected: 'Base64 of the key under RSAES-PKCS1-v1_5 with the public_key of this request',
    observed: `${wrappedIn(outcome)?.length ?? 0} characters that are ${diagnosis.code}`,
    diagnosis,
    evidence: outcome.exchange,
    ...(provides && { provides }),
  });
}
