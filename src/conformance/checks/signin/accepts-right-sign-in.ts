import type { SigninCheck } from '../../signin-check.ts';
import { expectSignedIn } from '../../signin-expect.ts';

export const acceptsRightSignIn: SigninCheck = {
  id: 'signin/accepts-right-sign-in',
  title: 'A sign-in with the right passcode is accepted',
  section: '4.2.2',
  sentence:
    "The application decrypts ptn_sp with the user's stored key. It checks the result for equality with the stored partner_sp.",
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    const attempt = await context.rightSignIn();
    expectSignedIn(
      attempt,
      'Look at what the application says of this sign-in. Does it send what the other checks name, know the user, decrypt with the cipher of this run, and compare with the stored passcode? Say "signed in" with exit status 0, or with an HTTP status from 200 to 299.',
    );
    return undefined;
  },
};
