import { defineCommand } from '../command.ts';
import { Verification } from '../verification.ts';
import { verifyFlags } from '../verify-flags.ts';
import { applicationSubject } from '../verify-run.ts';

export const verify = defineCommand({
  path: 'verify',
  about:
    'Checks an application against the interface: its callback endpoint, where it signs test users up and sends what is wrong on purpose, and with --signin or --signin-url the sign-in that it does. It says of each check whether it holds, what came instead and how to mend it. Every request names its check in the header X-Authcli-Check. Made for CI: it exits 0 only if checks ran and no must failed.',
  flags: verifyFlags,
  exclusive: [
    ['bail', 'updateExpect'],
    ['signin', 'signinUrl'],
    ['url', 'noUrl'],
  ],
  idle: ({ signin, signinUrl }) => (signin || signinUrl !== undefined ? [] : ['secretKey']),
  takesCommand: true,
  needs: ({ list, signin, signinUrl }) =>
    list || signin || signinUrl !== undefined ? [] : ['url'],
  notes: [
    'It makes up user codes that begin with authcli-, and lists them in the report; --user-codes gives codes of an application that lets only its own users sign up.',
    'A must is what the interface states and fails the run; a should is what it leaves open, and warns. A check that sends something wrong counts only beside the same request unspoilt, which must be accepted; without that it is skipped.',
    'The sign-in: --signin -- COMMAND runs COMMAND once for each sign-in against an emulated service, most of which must be refused. It finds AUTHCLI_AUTH_URL, AUTHCLI_CLIENT_ID, AUTHCLI_SECRET_KEY, AUTHCLI_PTN_TOKEN and AUTHCLI_CIPHER in its environment, does what your server does with a ptn_token, and exits 0 for "signed in", with any other status for "refused", within --timeout. With --url, test users are signed up there first, and your application has their key and passcode; without it AUTHCLI_PTN_CD, AUTHCLI_KEY and AUTHCLI_SUPER_PASSCODE hold them, of the only user that COMMAND knows. A URL of the profile counts as --url does; --no-url leaves it out.',
    '--signin-url sends {"ptn_token": "…"} with POST to an address of your application instead: an answer of 2xx means "signed in", 4xx and 5xx "refused". Set the application beforehand to http://127.0.0.1:PORT of --auth-port as its {auth_url}, to --client-id and to --secret-key. The user is one that is signed up at --url, or that of --ptn-cd, whose key and passcode are known here or given.',
    'On GitHub, --format github writes annotations, and the summary of the step where GITHUB_STEP_SUMMARY is set.',
  ],
  examples: [
    { about: 'everything', line: 'authcli verify --url http://localhost:8080/callback' },
    {
      about: 'in a pipeline, as soon as the server is up',
      line: 'authcli verify --url http://localhost:8080/callback --wait 60s --report junit=verify.xml',
    },
    {
      about: 'the sign-in, here that of authcli itself',
      line: 'authcli verify --signin --no-url -- authcli signin',
    },
  ],
  // Not async: on a signal the outcome is there at once, before the run counts as stopped.
  run: (options, session) =>
    new Verification(applicationSubject(options, session), options, session).start(),
});
