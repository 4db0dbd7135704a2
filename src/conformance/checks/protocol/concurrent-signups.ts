import { diagnoseBehaviour } from '../../../diagnosis/behaviour.ts';
import type { Check } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { describeAnswer, expectAccepted, fail, isAccepted } from '../../expect.ts';
import { keyIn } from '../../flows.ts';

export const concurrentSignups: Check = {
  id: 'protocol/concurrent-signups',
  title: 'Sign-ups of different users at the same time all succeed, each with its own key',
  section: '4.1.1',
  sentence: 'The application keeps the plain key per user.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['registration/key-of-that-user', 'usable-key'],
  users: 'concurrent',
  run: async (context) => {
    const { users } = context;
    const signUps = users.map((ptnCd) => signUpAmongOthers(context, ptnCd));
    // All are over before the verdict: what is left under way would disturb the next check.
    const ended = await Promise.allSettled(signUps);
    const failed = ended.find((end) => end.status === 'rejected');
    if (failed === undefined) return undefined;
    // A server that serves one connection at a time waits for the next request on one that is kept.
    await context.world.transport.close();
    throw failed.reason;
  },
};

async function signUpAmongOthers(context: CheckContext, ptnCd: string): Promise<void> {
  const among = `${context.users.length} sign-ups at the same time`;
  const outcome = await context.exchange(ptnCd);
  expectAccepted(outcome, `a key exchange among ${among}`);
  const registered = await context.register(ptnCd, keyIn(context, outcome));
  if (isAccepted(registered)) return;
  const isAnswered = registered.reading?.problem?.kind === 'code-not-success';
  const message = `Of ${among}, a registration under the key of its own user was refused (${describeAnswer(registered)}).`;
  fail({
    expected: `all of ${among} to succeed`,
    observed: describeAnswer(registered),
    diagnosis: isAnswered ? diagnoseBehaviour('shared-state', message) : registered.diagnosis,
    evidence: registered.exchange,
  });
}
