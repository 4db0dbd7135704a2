import type { CheckDefinition } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { failRegistration, isAccepted } from '../../expect.ts';

export const latestKey: CheckDefinition = {
  id: 'registration/latest-key',
  title: 'must use the key of the latest key exchange',
  section: '4.1.1',
  sentence: 'The application generates a new 32-character key for ptn_cd, stores it.',
  stage: 'right-requests',
  needs: ['registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const first = await context.obtainKey(context.user);
    const second = await registerWithNewest(context, first, 'two key exchanges');
    await registerWithNewest(context, second, 'a registration and another key exchange');
  },
};

/** Returns the newest key. Where it is refused and the one before is accepted, that one is still in use. */
async function registerWithNewest(context: CheckContext, before: string, after: string) {
  const { user } = context;
  const key = await context.obtainKey(user);
  const outcome = await context.register(user, key);
  if (isAccepted(outcome)) return key;
  const isStale = isAccepted(await context.register(user, before));
  const still = isStale ? ', and one under the key before it was accepted' : '';
  return failRegistration(outcome, {
    expected: `a registration under the newest key to be accepted after ${after}`,
    code: 'stale-key',
    confidence: isStale ? 'certain' : 'likely',
    message: `After ${after}, a registration under the newest key was refused${still}`,
  });
}
