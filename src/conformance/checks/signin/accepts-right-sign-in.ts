import type { SigninCheckDefinition } from '../../signin-check.ts';
import { expectSignedIn } from '../../signin-expect.ts';

const fix =
  'Check the log of the application for this sign-in: it must find the user, decrypt ptn_sp with the cipher of this run, and compare it with the stored passcode. Report success with exit status 0, or with an HTTP status from 200 to 299.';
const fixOfTwo =
  'Another user signed in before, so both calls work: use the key and passcode of the user in result.ptn_cd of the token response, not those stored last.';

export const acceptsRightSignIn: SigninCheckDefinition = {
  id: 'signin/accepts-right-sign-in',
  title: 'must accept a sign-in with the correct passcode',
  section: '4.2.2',
  sentence:
    "The application decrypts ptn_sp with the user's stored key. It checks the result for equality with the stored partner_sp.",
  users: 2,
  run: async (context) => {
    const first = await context.rightSignIn();
    if (first.conclusion.verdict === 'refused' && first.calls.length > 0) {
      const { causeOfRefusedSignin } = await import('../../signin-experiments.ts');
      const diagnosis = await causeOfRefusedSignin(first, context);
      const conclusion = { ...first.conclusion, diagnosis };
      if (diagnosis) expectSignedIn({ ...first, conclusion }, diagnosis.hint);
    }
    expectSignedIn(first, fix);
    const signsUp = context.environment.users === 'signed-up';
    const other = signsUp ? await context.anotherUser() : undefined;
    // With few codes that are given, it may be the first one's, who has a new key since.
    if (other === undefined || other.ptnCd === first.user.ptnCd) return;
    for (const user of [other, first.user])
      expectSignedIn(await context.signIn('right', { user }), fixOfTwo);
  },
};
