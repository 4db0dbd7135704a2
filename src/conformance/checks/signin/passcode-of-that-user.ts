import { comparesPasscode } from '../../../diagnosis/signin-calls.ts';
import { untested } from '../../expect.ts';
import type { SigninCheckDefinition, SigninUser } from '../../signin-check.ts';
import { expectRefused } from '../../signin-refusals.ts';

export const passcodeOfThatUser: SigninCheckDefinition = {
  id: 'signin/passcode-of-that-user',
  title: 'must reject a sign-in with the passcode of another user or of an earlier registration',
  section: '4.1.2',
  sentence:
    'The application decrypts partner_sp with the stored key of ptn_cd and stores the result. Later it compares this value with the decrypted ptn_sp.',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/rejects-wrong-passcode'],
  run: async (context) => {
    const isInvented = context.environment.users === 'invented';
    const other = (await context.rightSignIn()).user;
    const first = isInvented
      ? await context.otherSignIn()
      : await context.signIn('right', { user: await context.user() });
    const earlier = first.user;
    const user = await context.registeredAgain(earlier);
    if (user === undefined) return untested("The user is given, and can't be signed up once more.");
    if (first.conclusion.verdict !== 'signed-in')
      return untested(`${earlier.ptnCd} could not sign in before (${first.conclusion.how}).`);
    const asOf = ({ superPasscode }: SigninUser) => ({ passcode: () => superPasscode.reveal() });
    const attempts = await Promise.all([
      context.signIn('passcode-of-another-user', { user, behaviour: asOf(other) }),
      context.signIn('passcode-earlier', { user, behaviour: asOf(earlier) }),
    ]);
    return expectRefused(attempts, {
      code: 'passcode-mismatch',
      risk: 'A passcode that is no longer valid, or belongs to another user, is accepted.',
      fix: 'Store one passcode for each ptn_cd, replace it at each registration, and compare with that one alone.',
      calls: comparesPasscode,
    });
  },
};
