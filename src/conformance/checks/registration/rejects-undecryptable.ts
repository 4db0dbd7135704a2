import { algorithmOf, formatCipher } from '../../../crypto/cipher.ts';
import { undecryptablePayload } from '../../../crypto/payload-ciphers.ts';
import { diagnose } from '../../../diagnosis/catalogue.ts';
import { decryptionCalls } from '../../../diagnosis/decryption-calls.ts';
import type { CheckDefinition } from '../../check.ts';
import { control, describeResponse, fail, isAccepted, orSkip, skip } from '../../expect.ts';
import { aboutMalformed } from '../../malformed.ts';

export const rejectsUndecryptable: CheckDefinition = {
  id: 'registration/rejects-undecryptable',
  title: 'must reject a partner_sp that the stored key cannot decrypt',
  section: '4.1.2',
  sentence: 'The application decrypts partner_sp with the stored key of ptn_cd.',
  stage: 'wrong-requests',
  needs: ['registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const { user, environment, randomBytes } = context;
    await control(() => context.signUp(user));
    const key = await control(() => context.obtainKey(user));
    const payload = orSkip(environment.cipher, () =>
      undecryptablePayload(key, environment.cipher, randomBytes),
    );
    if (payload === undefined) {
      const cipher = formatCipher(environment.cipher);
      return skip(`The cipher ${cipher} has neither a tag nor a padding that could be wrong.`);
    }
    const right = context.rightRegistration(user, key);
    const fields = { partner_sp: payload };
    const name = 'undecryptable-partner-sp';
    const outcome = await context.sendMalformed(name, right, fields);
    if (!isAccepted(outcome)) return;
    // Under GCM the plaintext is right, so an application that decrypts without checking the tag is found too.
    const message =
      algorithmOf(environment.cipher).mode === 'gcm'
        ? 'A partner_sp with one bit of its GCM tag flipped was accepted, like a valid one: the application does not check the tag, or does not decrypt at all.'
        : 'A partner_sp with an impossible padding was accepted, like a valid one: the application does not decrypt it, or does not check the padding.';
    return fail({
      expected: `a code other than "0000" for ${aboutMalformed(name)}`,
      observed: describeResponse(outcome),
      diagnosis: {
        ...diagnose('never-decrypts', message),
        calls: decryptionCalls(environment.cipher), // they fail where the padding or tag is wrong
      },
      evidence: outcome.exchange,
    });
  },
};
