import { decodeBase64Strict } from '../../../bytes.ts';
import type { KeyExchangeOutcome } from '../../../client/call.ts';
import { diagnose } from '../../../diagnosis/catalogue.ts';
import type { Diagnosis } from '../../../errors.ts';
import type { CheckDefinition } from '../../check.ts';
import { fail, skip } from '../../expect.ts';
import { isWrapCode } from '../../keys.ts';

export const strictBase64: CheckDefinition = {
  id: 'key-exchange/strict-base64',
  title: 'should write enc_partner_key with its = padding and nothing around it',
  section: '2.2',
  sentence: 'enc_partner_key is the Base64 encoding of the ciphertext.',
  production: 'reviews',
  level: 'should',
  stage: 'right-requests',
  needs: ['key-exchange/wraps-key'],
  review: ({ keyExchanges }) => {
    // what is not Base64 at all is the matter of key-exchange/wraps-key
    const read = keyExchanges.filter(({ outcome }) => !outcome.diagnoses.some(isOfWrap));
    for (const { outcome } of read) judge(outcome);
  },
  run: async (context) => {
    const outcome = await context.exchange(context.user);
    if (outcome.reading?.seen.encPartnerKey === undefined)
      skip('The response has no enc_partner_key.');
    judge(outcome);
  },
};

const isOfWrap = ({ code }: Diagnosis): boolean => isWrapCode(code);

function judge({ exchange, reading }: KeyExchangeOutcome): void {
  const text = reading?.seen.encPartnerKey;
  if (text === undefined || decodeBase64Strict(text) !== undefined) return;
  const isPadded = decodeBase64Strict(text.trim()) !== undefined;
  const observed = isPadded ? 'white space around it' : 'no = at its end, or too many';
  fail({
    expected: 'Base64 with its = padding and nothing around it (RFC 4648 section 4)',
    observed,
    diagnosis: diagnose(
      isPadded ? 'line-breaks' : 'not-base64',
      `Lenient decoders read enc_partner_key, strict ones do not: ${observed}.`,
    ),
    evidence: exchange,
  });
}
