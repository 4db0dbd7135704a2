import { fileURLToPath } from 'node:url';
import { describeSignin } from '../../support/signin-command.ts';

const script = fileURLToPath(new URL('applications/sign_in.py', import.meta.url));

describeSignin(
  'A sign-in with urllib and cryptography',
  ['python3', script],
  [
    {
      fault: 'bare-except',
      check: 'signin/rejects-undecryptable',
      diagnosis: 'accepted-bad-answer',
    },
    { fault: 'starts-with', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
    {
      fault: 'no-code',
      check: 'signin/rejects-authenticate-code',
      diagnosis: 'accepted-bad-answer',
    },
  ],
);
