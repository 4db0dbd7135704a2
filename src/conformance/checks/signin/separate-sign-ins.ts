import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { fail, skip } from '../../expect.ts';
import type { SigninCheckDefinition, SigninContext } from '../../signin-check.ts';
import type { Attempt, SigninUser } from '../../signin-environment.ts';
import { lastExchange } from '../../signin-expect.ts';

const fix =
  'Keep tokens, responses and users of a sign-in in local variables: not in a global, a static field, or a file that all sign-ins share.';

export const separateSignIns: SigninCheckDefinition = {
  id: 'signin/separate-sign-ins',
  title: 'must accept sign-ins of several users at the same time',
  section: '1.3',
  sentence:
    "At sign-in, the application's server performs two steps for the ptn_token of one user.",
  users: 2,
  needs: ['signin/accepts-right-sign-in'],
  run: async (context) => {
    const first = await context.user();
    const other = (await context.anotherUser()) ?? first;
    const users = [first, other, first, other];
    const refused = refusedOf(await together(context, users));
    if (refused === undefined) return;
    context.startOneByOne();
    // Who can't sign in alone either has another fault.
    const alone = await context.signIn('right', { user: refused.user });
    if (alone.conclusion.verdict !== 'signed-in') {
      skip(`${refused.user.ptnCd} can't sign in alone either (${alone.conclusion.how}).`);
    }
    const message = `Of four sign-ins at the same time, that of ${refused.user.ptnCd} was not accepted (${refused.conclusion.how}); alone it is.`;
    return fail({
      expected: 'four sign-ins at the same time to be accepted',
      observed: refused.conclusion.how,
      diagnosis: diagnosis('shared-state', message, fix),
      evidence: lastExchange(refused),
    });
  },
};

function together(
  context: SigninContext,
  users: readonly SigninUser[],
): Promise<readonly Attempt[]> {
  return Promise.all(users.map((user) => context.signIn('right', { user })));
}

function refusedOf(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.find(({ conclusion }) => conclusion.verdict !== 'signed-in');
}
