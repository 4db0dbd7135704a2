import type { Check } from '../../check.ts';
import { expectAccepted } from '../../expect.ts';

export const answersSuccess: Check = {
  id: 'key-exchange/answers-success',
  title: 'A valid key exchange is answered with success',
  section: '4.1.1',
  sentence:
    'When a valid request arrives, the application generates a new 32-character key for ptn_cd, stores it, and returns it encrypted.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    expectAccepted(await context.exchange(context.user), 'a valid key exchange');
    return undefined;
  },
};
