import type { Cipher } from '../../../crypto/cipher.ts';
import { formatCipher } from '../../../crypto/cipher-notation.ts';
import { type CheckDefinition, withHint } from '../../check.ts';
import { reviewAccepted } from '../../expect.ts';
import { plainUserInfo } from '../../test-data.ts';

export const answersSuccess: CheckDefinition = {
  id: 'registration/answers-success',
  title: 'must accept a valid registration with ubifill',
  section: '4.1.2',
  sentence: 'The application answers code "0000" when registration is accepted.',
  production: 'sends',
  needs: ['key-exchange/answers-success', 'usable-key'],
  review: reviewAccepted('registration', 'a valid registration'),
  run: async (context) => {
    const what = 'a valid registration with ubifill';
    const key = await context.obtainKey(context.user);
    try {
      await context.registerRightly(context.user, key, { userInfo: plainUserInfo, what });
    } catch (error) {
      const { withCause } = await import('../../registration-probe.ts');
      throw withHint(await withCause(error, context), hint(context.environment.cipher));
    }
  },
};

const hint = (cipher: Cipher) =>
  `The payloads were encrypted with ${formatCipher(cipher)}, which the interface leaves open: if the application uses another cipher, set that one here.`;
