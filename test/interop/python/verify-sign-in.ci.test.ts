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
    {
      fault: 'int-code',
      check: 'signin/compares-code-exactly',
      diagnosis: 'accepted-bad-answer',
    },
    {
      fault: 'default-code',
      check: 'signin/rejects-missing-code',
      diagnosis: 'accepted-bad-answer',
    },
    { fault: 'lower-user', check: 'signin/exact-user-code', diagnosis: 'other-user' },
    { fault: 'casefold', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
    {
      fault: 'allows-outage',
      check: 'signin/rejects-without-service',
      diagnosis: 'accepted-bad-answer',
    },
    {
      fault: 'allows-no-json',
      check: 'signin/rejects-error-page',
      diagnosis: 'accepted-bad-answer',
    },
    {
      fault: 'follows-redirects',
      check: 'signin/follows-no-redirect',
      diagnosis: 'accepted-bad-answer',
    },
    { fault: 'prints-hex', check: 'signin/secrets-not-shown' },
    { fault: 'starts-with', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
    {
      fault: 'no-code',
      check: 'signin/rejects-authenticate-code',
      diagnosis: 'accepted-bad-answer',
    },
  ],
);
