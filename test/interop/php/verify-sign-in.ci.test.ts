import { fileURLToPath } from 'node:url';
import { describeSignin } from '../../support/signin-command.ts';

const script = fileURLToPath(new URL('applications/sign-in.php', import.meta.url));

describeSignin(
  "A sign-in with PHP's streams and openssl functions",
  ['php', script],
  [
    { fault: 'loose', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
    {
      fault: 'false-passes',
      check: 'signin/rejects-undecryptable',
      diagnosis: 'accepted-bad-answer',
    },
    { fault: 'form', check: 'signin/token-fields', diagnosis: 'not-json' },
  ],
);
