import type { Check } from '../../check.ts';
import { expectAccepted } from '../../expect.ts';
import { withHint } from '../../verdict.ts';

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
    const outcome = await context.exchange(context.user);
    const { clientId } = context.world;
    try {
      expectAccepted(outcome, 'a valid key exchange');
    } catch (error) {
      throw withHint(
        error,
        `The client_id was "${clientId}" and the ptn_cd was invented, unless one was given: an application that knows only its own has to be asked with those.`,
      );
    }
    return undefined;
  },
};
