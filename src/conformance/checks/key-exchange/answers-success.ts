import type { CheckDefinition } from '../../check.ts';
import { reviewAccepted } from '../../expect.ts';

export const answersSuccess: CheckDefinition = {
  id: 'key-exchange/answers-success',
  title: 'must accept a valid key exchange',
  section: '4.1.1',
  sentence:
    'When a valid request arrives, the application generates a new 32-character key for ptn_cd, stores it, and returns it encrypted.',
  production: 'sends',
  review: reviewAccepted('key-exchange', 'a valid key exchange'),
  run: async (context) => {
    await context.acceptedExchange(context.user, { what: 'a valid key exchange' });
  },
};
