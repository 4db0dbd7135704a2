import { formatCipher } from '../../../crypto/cipher-notation.ts';
import type { CheckDefinition } from '../../check.ts';
import { expectAccepted, isAccepted, reviewAccepted } from '../../expect.ts';
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
    const outcome = await context.register(context.user, key, { userInfo: plainUserInfo });
    if (isAccepted(outcome)) return;
    const { withCause } = await import('../../refusal.ts');
    const explained = await withCause(outcome, context, key);
    const { diagnosis } = explained;
    const isOpen = diagnosis?.code === 'code-not-success' && !diagnosis.evidence?.experiment;
    if (!isOpen) return expectAccepted(explained, what);
    const hint = `${diagnosis.hint} The payloads were encrypted with ${formatCipher(context.environment.cipher)}, which the interface leaves open: if the application uses another cipher, set that one here.`;
    expectAccepted({ ...explained, diagnosis: { ...diagnosis, hint } }, what);
  },
};
