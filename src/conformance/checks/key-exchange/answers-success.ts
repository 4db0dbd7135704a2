import type { CheckDefinition } from '../../check.ts';
import { expectAccepted, isAccepted, reviewAccepted } from '../../expect.ts';

export const answersSuccess: CheckDefinition = {
  id: 'key-exchange/answers-success',
  title: 'must accept a valid key exchange',
  section: '4.1.1',
  sentence:
    'When a valid request arrives, the application generates a new 32-character key for ptn_cd, stores it, and returns it encrypted.',
  production: 'sends',
  review: reviewAccepted('key-exchange', 'a valid key exchange'),
  run: async (context) => {
    const outcome = await context.exchange(context.user);
    if (isAccepted(outcome)) return;
    const { withCause } = await import('../../refusal.ts');
    expectAccepted(await withCause(outcome, context), 'a valid key exchange');
  },
};
