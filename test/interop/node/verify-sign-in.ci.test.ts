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
    {
      fault: 'loose-code',
      check: 'signin/compares-code-exactly',
      diagnosis: 'accepted-bad-answer',
    },
    { fault: 'trims', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
    { fault: 'session-user', check: 'signin/rejects-missing-user', diagnosis: 'other-user' },
    {
      fault: 'compares-raw',
      check: 'signin/decrypts-passcode',
      diagnosis: 'accepted-bad-answer',
    },
    {
      fault: 'allows-outage',
      check: 'signin/rejects-without-service',
      diagnosis: 'accepted-bad-answer',
    },
    {
      fault: 'follows-redirects',
      check: 'signin/follows-no-redirect',
      diagnosis: 'accepted-bad-answer',
    },
    { fault: 'no-charset', check: 'signin/content-type' },
    { fault: 'swallows', check: 'signin/rejects-token-code', diagnosis: 'accepted-bad-answer' },
  ],
);
