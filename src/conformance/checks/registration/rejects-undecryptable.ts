import { formatCipher } from '../../../crypto/cipher-notation.ts';
import { undecryptablePayload } from '../../../crypto/undecryptable-payload.ts';
import { diagnoseBehaviour } from '../../../diagnosis/behaviour.ts';
import type { Check } from '../../check.ts';
import { control, describeAnswer, fail, isAccepted, skip } from '../../expect.ts';
import { obtainKey, signUp } from '../../flows.ts';
import { malform } from '../../malformed.ts';

export const rejectsUndecryptable: Check = {
  id: 'registration/rejects-undecryptable',
  title: 'A partner_sp that the stored key cannot decrypt is refused',
  section: '4.1.2',
  sentence: 'The application decrypts partner_sp with the stored key of ptn_cd.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const { user, world, randomBytes } = context;
    await control(() => signUp(context, user));
    const key = await control(() => obtainKey(context, user));
    const payload = undecryptablePayload(key, world.cipher, randomBytes);
    if (payload === undefined) {
      const cipher = formatCipher(world.cipher);
      return skip(`The cipher ${cipher} has neither a tag nor a padding that could be wrong.`);
    }
    const right = context.rightRegistration(user, key);
    const malformed = malform('undecryptable-partner-sp', right, { partner_sp: payload });
    const outcome = await context.sendMalformed(malformed);
    if (!isAccepted(outcome)) return undefined;
    return fail({
      expected: `a code other than "0000" for ${malformed.about}`,
      observed: describeAnswer(outcome),
      diagnosis: diagnoseBehaviour(
        'never-decrypts',
        'A partner_sp whose padding or tag is wrong for certain under the stored key was answered with code "0000", as a right one is.',
      ),
      evidence: outcome.exchange,
    });
  },
};
