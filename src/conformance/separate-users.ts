import { diagnoseBehaviour } from '../diagnosis/behaviour.ts';
import type { CheckContext } from './context.ts';
import { describeAnswer, expectAccepted, fail, isAccepted } from './expect.ts';
import { keyIn } from './flows.ts';

/** How an application deals with two users at the same time. */
export type Separation = 'separate' | 'refused';

/**
 * Interleaves the sign-ups of two users: both exchange a key, then both register. Fails the check
 * where that mixes them up; both exchanges must be accepted.
 */
export async function expectSeparateUsers(
  context: CheckContext,
  users: readonly [string, string],
  whose: string,
): Promise<void> {
  const keys: string[] = [];
  for (const ptnCd of users) {
    const outcome = await context.exchange(ptnCd);
    expectAccepted(outcome, `the key exchange of a user ${whose}`);
    keys.push(keyIn(context, outcome));
  }
  for (const [index, ptnCd] of users.entries()) {
    const outcome = await context.register(ptnCd, keys[index] ?? '');
    if (!isAccepted(outcome)) failMixedUp(outcome, whose);
  }
}

/**
 * The same for users whose codes the application need not accept: a refusal is no fault. A
 * registration that is refused is only held against it where the same one is accepted when the
 * other user stays out of the way.
 */
export async function trySeparateUsers(
  context: CheckContext,
  users: readonly [string, string],
  whose: string,
): Promise<Separation> {
  const keys: string[] = [];
  for (const ptnCd of users) {
    const outcome = await context.exchange(ptnCd);
    if (!isAccepted(outcome)) return 'refused';
    keys.push(keyIn(context, outcome));
  }
  for (const [index, ptnCd] of users.entries()) {
    const outcome = await context.register(ptnCd, keys[index] ?? '');
    if (isAccepted(outcome)) continue;
    if (!(await worksAlone(context, ptnCd))) return 'refused';
    failMixedUp(outcome, whose);
  }
  return 'separate';
}

async function worksAlone(context: CheckContext, ptnCd: string): Promise<boolean> {
  const outcome = await context.exchange(ptnCd);
  if (!isAccepted(outcome)) return false;
  return isAccepted(await context.register(ptnCd, keyIn(context, outcome)));
}

function failMixedUp(outcome: Awaited<ReturnType<CheckContext['register']>>, whose: string): never {
  const isAnswered = outcome.reading?.problem?.kind === 'code-not-success';
  const message = `Two users ${whose} exchanged keys; a registration under the key of its own user was then refused (${describeAnswer(outcome)}).`;
  return fail({
    expected: `both users ${whose} to register, each under the key of their own`,
    observed: describeAnswer(outcome),
    diagnosis: isAnswered ? diagnoseBehaviour('shared-state', message) : outcome.diagnosis,
    evidence: outcome.exchange,
  });
}
