import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { fail, untested } from '../../expect.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
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
    const first = await context.firstUser();
    const other = (await context.anotherUser()) ?? first;
    const attempts = await Promise.all([
      ...[first, other].map((user) => context.signIn('right', { user })),
      context.unusualSignIn(),
    ]);
    const refused = attempts.find(({ conclusion }) => conclusion.verdict !== 'signed-in');
    if (refused === undefined) return;
    context.startOneByOne();
    // Who can't sign in alone either has another fault.
    const alone = await context.signIn(refused.scenario.name, { user: refused.user });
    if (alone.conclusion.verdict !== 'signed-in')
      untested(`${refused.user.ptnCd} can't sign in alone either (${alone.conclusion.how}).`);
    const message = `Of three sign-ins at the same time, that of ${refused.user.ptnCd} was not accepted (${refused.conclusion.how}); alone it is.`;
    return fail({
      expected: 'three sign-ins at the same time to be accepted',
      observed: refused.conclusion.how,
      diagnosis: diagnosis('shared-state', message, fix),
      evidence: lastExchange(refused),
    });
  },
};
