import { fileURLToPath } from 'node:url';
import { describeSignin } from '../../support/signin-command.ts';

const script = fileURLToPath(new URL('applications/sign-in.mjs', import.meta.url));

describeSignin(
  'A sign-in with fetch and node:crypto',
  [process.execPath, script],
  [
    {
      fault: 'forgotten-await',
      check: 'signin/rejects-wrong-passcode',
      diagnosis: 'passcode-mismatch',
    },
    { fault: 'no-charset', check: 'signin/content-type' },
    { fault: 'swallows', check: 'signin/rejects-token-code', diagnosis: 'accepted-bad-answer' },
  ],
);
