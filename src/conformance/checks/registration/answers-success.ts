import { formatCipher } from '../../../crypto/cipher-notation.ts';
import type { Check } from '../../check.ts';
import { plainUserInfo, signUp } from '../../flows.ts';
import { withHint } from '../../verdict.ts';

export const answersSuccess: Check = {
  id: 'registration/answers-success',
  title: 'A valid registration with ubifill is answered with success',
  section: '4.1.2',
  sentence: 'The application answers code "0000" when registration is accepted.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['key-exchange/answers-success', 'usable-key'],
  run: async (context) => {
    const what = 'a valid registration with ubifill';
    const cipher = formatCipher(context.world.cipher);
    try {
      await signUp(context, context.user, { userInfo: plainUserInfo, what });
    } catch (error) {
      throw withHint(
        error,
        `The payloads were encrypted with ${cipher}, which the interface leaves open: if the application uses another cipher, set that one here.`,
      );
    }
    return undefined;
  },
};
