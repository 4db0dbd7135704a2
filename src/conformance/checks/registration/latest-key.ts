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
    const { user } = context;
    await context.obtainKey(user);
    await registerWithNewest(context, await context.obtainKey(user), 'two key exchanges');
    await context.registerRightly(user, await context.obtainKey(user));
    const third = await context.obtainKey(user);
    await registerWithNewest(context, third, 'a registration and another key exchange');
  },
};

async function registerWithNewest(
  context: CheckContext,
  key: string,
  after: string,
): Promise<void> {
  const outcome = await context.register(context.user, key);
  if (isAccepted(outcome)) return;
  failRegistration(outcome, {
    expected: `a registration under the newest key to be accepted after ${after}`,
    code: 'stale-key',
    message: `After ${after}, a registration under the newest key was refused`,
  });
}
