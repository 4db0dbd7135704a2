import type { CheckDefinition } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { failRegistration, isAccepted } from '../../expect.ts';

export const concurrentSignups: CheckDefinition = {
  id: 'protocol/concurrent-signups',
  title: 'must accept concurrent sign-ups of different users, each with its own key',
  section: '4.1.1',
  sentence: 'The application keeps the plain key per user.',
  needs: ['registration/key-of-that-user', 'usable-key'],
  users: 'concurrent',
  run: async (context) => {
    const { users } = context;
    const signUps = users.map((ptnCd) => signUpAmongOthers(context, ptnCd));
    // All must end before the verdict: open requests would disturb the next check.
    const ended = await Promise.allSettled(signUps);
    const failed = ended.find((end) => end.status === 'rejected');
    if (failed === undefined) return;
    // A server of one connection at a time would wait for the next request on an open one.
    await context.environment.transport.close();
    throw failed.reason;
  },
};

async function signUpAmongOthers(context: CheckContext, ptnCd: string): Promise<void> {
  const among = `${context.users.length} sign-ups at the same time`;
  const key = await context.obtainKey(ptnCd, { what: `a key exchange among ${among}` });
  const registered = await context.register(ptnCd, key);
  if (isAccepted(registered)) return;
  failRegistration(registered, {
    expected: `all of ${among} to succeed`,
    code: 'shared-state',
    confidence: 'likely',
    message: `Of ${among}, a registration under the key of its own user was refused`,
  });
}
