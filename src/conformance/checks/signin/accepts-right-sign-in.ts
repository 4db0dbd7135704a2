import type { SigninCheck } from '../../signin-check.ts';
import { expectSignedIn } from '../../signin-expect.ts';

const mend =
  'Look at what the application says of this sign-in. Does it send what the other checks name, know the user, decrypt with the cipher of this run, and compare with the stored passcode? Say "signed in" with exit status 0, or with an HTTP status from 200 to 299.';
const mendOfTwo =
  'Another user had signed in before, so it can be done: take key and passcode of the user whom result.ptn_cd of the token answer names, not those that were stored last.';

export const acceptsRightSignIn: SigninCheck = {
  id: 'signin/accepts-right-sign-in',
  title: 'A sign-in with the right passcode is accepted',
  section: '4.2.2',
  sentence:
    "The application decrypts ptn_sp with the user's stored key. It checks the result for equality with the stored partner_sp.",
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  users: 2,
  needs: [],
  run: async (context) => {
    const first = await context.rightSignIn();
    expectSignedIn(first, mend);
    const other = await context.anotherUser();
    // With few codes that are given, it may be the first one's, who has a new key since.
    if (other === undefined || other.ptnCd === first.user.ptnCd) return undefined;
    for (const user of [other, first.user]) {
      expectSignedIn(await context.signIn('right', user), mendOfTwo);
    }
    return undefined;
  },
};
