import { constantTimeEqual, encodeUtf8 } from '../../../bytes.ts';
import type { CallOutcome } from '../../../client/call.ts';
import { checkPasscode, type UserSecrets } from '../../../client/passcode.ts';
import type { Cipher } from '../../../crypto/cipher.ts';
import { decryptPayload } from '../../../crypto/payload-ciphers.ts';
import { diagnoseNoText } from '../../../diagnosis/passcode.ts';
import type { Passed } from '../../check.ts';
import { diagnoseMessage, expectEnvelope, failWith, reviewEnvelopes, skip } from '../../expect.ts';
import type { ServiceCheckDefinition, ServiceContext } from '../../service.ts';

const expectedShape = 'code, message and result.ptn_sp as strings';

export const returnsPasscode: ServiceCheckDefinition = {
  id: 'service/returns-passcode',
  title: "must return the user's passcode in result.ptn_sp, encrypted with the per-user key",
  section: '4.2.2',
  sentence: 'result.ptn_sp: User Super Passcode, encrypted.',
  needs: ['service/token-works'],
  review: reviewEnvelopes('authenticate', expectedShape),
  run: async (context) => {
    const outcome = context.authenticateOutcome();
    expectShape(context, outcome);
    const ptnSp = outcome.reading?.seen.ptnSp ?? skip('The response contained no ptn_sp.');
    return judgePasscode(context, ptnSp);
  },
};

/** What a check of the token response has reported is not reported again. */
function expectShape({ base }: ServiceContext, outcome: CallOutcome<object>): void {
  const fault = outcome.reading?.problem ? outcome.diagnosis : diagnoseMessage(outcome);
  if (fault !== undefined && base.record.reported.has(fault.code)) return;
  expectEnvelope(outcome, expectedShape);
}

async function judgePasscode(context: ServiceContext, ptnSp: string): Promise<Passed> {
  const { service, base } = context;
  const ptnCd = service.ptnCd ?? context.tokenOutcome().reading?.seen.ptnCd;
  const user = ptnCd === undefined ? {} : await service.lookUpUser(ptnCd);
  const { cipher } = base.environment;
  const { diagnosis, passcode, notes } = await checkPasscode(ptnSp, user, cipher);
  if (diagnosis === undefined) return { notes };
  const isOtherKey = diagnosis.code === 'bad-padding' && isNoise(ptnSp, user, cipher);
  const expected = 'a ptn_sp that decrypts to the passcode of the registration';
  const { exchange } = context.authenticateOutcome();
  const cause = isOtherKey ? diagnoseNoText() : diagnosis;
  return failWith(cause, expected, `a ptn_sp that is ${wordsOf[passcode]}`, exchange);
}

/**
 * Padding that is wrong behind the right passcode is damage; behind anything else, the whole was
 * encrypted with another key.
 */
function isNoise(ptnSp: string, { key, superPasscode }: UserSecrets, cipher: Cipher): boolean {
  if (key === undefined || superPasscode === undefined) return false;
  const whole = decryptPayload(ptnSp, key.reveal(), { ...cipher, padding: 'none' });
  const begins = encodeUtf8(superPasscode.reveal()).subarray(0, 8);
  return whole.ok && !constantTimeEqual(whole.plaintext.subarray(0, begins.length), begins);
}

const wordsOf = {
  match: 'right',
  mismatch: 'encrypted from another text',
  undecryptable: "not decryptable with the user's key",
  'not-checked': 'not checked',
} as const;
