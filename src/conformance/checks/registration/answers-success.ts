import { formatCipher } from '../../../crypto/cipher-notation.ts';
import { type CheckDefinition, CheckFailed } from '../../check.ts';
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
      const cause = await withCause(error, context);
      const isRefusal =
        cause instanceof CheckFailed && cause.fault.diagnosis?.code === 'code-not-success';
      if (!isRefusal) throw cause;
      const fix = `${cause.fault.fix} The payloads were encrypted with ${formatCipher(context.environment.cipher)}, which the interface leaves open: if the application uses another cipher, set that one here.`;
      throw new CheckFailed({ ...cause.fault, fix });
    }
  },
};
