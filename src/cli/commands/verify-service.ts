import { defineCommand } from '../command.ts';
import { Verification } from '../verification.ts';
import { verifyServiceFlags } from '../verify-service-flags.ts';
import { serviceSubject } from '../verify-service-run.ts';

export const verifyService = defineCommand({
  path: 'verify-service',
  about:
    "Checks the service's own endpoints, /process/token and /process/authenticate, against section 4.2 of the interface, for those who run or stage the service: signs in, sends what is wrong on purpose, and says of each check whether it holds. Reports, selection and exit statuses are those of verify.",
  flags: verifyServiceFlags,
  exclusive: [
    ['bail', 'updateExpect'],
    ['ptnToken', 'ptnTokenCommand'],
  ],
  notes: [
    'It needs a valid ptn_token. One is enough for most checks; a service that takes each once is judged wholly with one for each sign-in, up to five: give --ptn-token several times, or --ptn-token-command. With --ptn-cd alone, tokens are issued as for the emulated service.',
    "The passcode is compared where the user's key and passcode are known here, or given with --key and --expect-passcode. The expiry is waited for where --expire-time-zone is set and --expiry-wait is long enough.",
    'service/secret-in-body-only sends the secret key in headers and in a query, where logs may keep it; leave it out with --skip, or use a secret for tests.',
  ],
  needs: ({ list, secretKey, ptnToken, ptnTokenCommand }) => {
    // Tokens that are issued here are for the emulated service, whose secret has a default.
    const isIssued = ptnToken.length === 0 && ptnTokenCommand === undefined;
    const asksForSecret = secretKey === undefined && !isIssued;
    return list ? [] : ['authUrl', ...(asksForSecret ? (['secretKey'] as const) : [])];
  },
  examples: [
    {
      about: 'the emulated service, with a user who is signed up',
      line: 'authcli verify-service --auth-url http://127.0.0.1:8081 --ptn-cd alice',
    },
    {
      about: 'a staged service, in a pipeline',
      line: "authcli verify-service --auth-url https://auth.example.com --ptn-token-command './new-token.sh' --report junit=service.xml",
    },
    { about: 'what there is to check', line: 'authcli verify-service --list' },
  ],
  // Not async: on a signal the outcome is there at once, before the run counts as stopped.
  run: (options, session) =>
    new Verification(serviceSubject(options, session), options, session).start(),
});
