import { diagnoseBehaviour } from '../../../diagnosis/behaviour.ts';
import type { Check } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { describeAnswer, fail, isAccepted } from '../../expect.ts';
import { obtainKey, registerRightly } from '../../flows.ts';

export const latestKey: Check = {
  id: 'registration/latest-key',
  title: 'After a second key exchange the new key is the one that counts',
  section: '4.1.1',
  sentence: 'The application generates a new 32-character key for ptn_cd, stores it.',
  level: 'must',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['registration/without-user-info', 'usable-key'],
  run: async (context) => {
    const { user } = context;
    await obtainKey(context, user);
    await registerWithNewest(context, await obtainKey(context, user), 'two key exchanges');
    await registerRightly(context, user, await obtainKey(context, user));
    const third = await obtainKey(context, user);
    await registerWithNewest(context, third, 'a registration and another key exchange');
    return undefined;
  },
};

async function registerWithNewest(
  context: CheckContext,
  key: string,
  after: string,
): Promise<void> {
  const outcome = await context.register(context.user, key);
  if (isAccepted(outcome)) return;
  const isAnswered = outcome.reading?.problem?.kind === 'code-not-success';
  const message = `After ${after}, a registration under the newest key was refused (${describeAnswer(outcome)}).`;
  fail({
    expected: `a registration under the newest key to be accepted after ${after}`,
    observed: describeAnswer(outcome),
    diagnosis: isAnswered ? diagnoseBehaviour('stale-key', message) : outcome.diagnosis,
    evidence: outcome.exchange,
  });
}
