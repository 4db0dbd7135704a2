import { refusesOnError } from '../../../diagnosis/signin-calls.ts';
import { untested } from '../../expect.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { expectRefused } from '../../signin-refusals.ts';

export const judgesEachSignIn: SigninCheckDefinition = {
  id: 'signin/judges-each-sign-in',
  title: 'must judge each sign-in by its own responses, not by those of an earlier or parallel one',
  section: '1.3',
  sentence:
    "The application's server performs two steps at each sign-in: it exchanges ptn_token for an access token, and authenticates with it.",
  stage: 'wrong-requests',
  users: 2,
  needs: [
    'signin/separate-sign-ins',
    'signin/rejects-token-code',
    'signin/rejects-authenticate-code',
    'signin/rejects-wrong-passcode',
  ],
  run: async (context) => {
    const isInvented = context.environment.users === 'invented';
    const before = isInvented
      ? await context.rightSignIn()
      : await context.signIn('right', { user: await context.user() });
    const { user } = before;
    if (before.conclusion.verdict !== 'signed-in')
      untested(`${user.ptnCd} could not sign in before (${before.conclusion.how}).`);
    const [, ...attempts] = await Promise.all([
      context.signIn('right', { user }),
      context.signIn('refuses-authenticate', { user }),
      context.signIn('refuses-token', { user }),
      context.signIn('passcode-other', { user }),
    ]);
    return expectRefused(attempts, {
      risk: 'Who has signed in once stays signed in for everybody, whatever the service says now.',
      fix: 'Judge each sign-in by its own two responses: cache keys and stored passcodes, never tokens, responses or decisions.',
      calls: refusesOnError,
    });
  },
};
