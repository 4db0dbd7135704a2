import { defineCommand } from '../command.ts';
import { runVerify } from './verification.ts';
import { checkRepeatOptions, isRepeated, verifyFlags } from './verify-flags.ts';

export const verify = defineCommand({
  path: 'verify',
  about:
    'Checks an application against the interface: its callback endpoint, with test users and malformed requests, and with --signin or --signin-url its sign-in. Reports for each check whether it passed, what was observed, and how to fix it. Every request names its check in the header X-Authcli-Check. For CI: exits with 0 only if checks ran and no must failed.',
  flags: verifyFlags,
  exclusive: [
    ['bail', 'updateExpect'],
    ['failed', 'check'],
    ['failed', 'updateExpect'],
    ['signin', 'signinUrl'],
    ['every', 'failed'],
    ['every', 'updateExpect'],
    ['every', 'list'],
    ['safe', 'signin'],
    ['safe', 'signinUrl'],
  ],
  idle: ({ signin, signinUrl }) => (signin || signinUrl !== undefined ? [] : ['secretKey']),
  takesCommand: true,
  needs: ({ list, signin, signinUrl }) =>
    list || signin || signinUrl !== undefined ? [] : ['url'],
  notes: [
    'Test users have generated codes that begin with authcli-; reports list them. If your application only lets known users sign up, give their codes with --user-codes.',
    'A must is required by the interface and fails the run; a should is not, and warns. A check that sends a malformed request counts only if the unmodified request is accepted; otherwise it is skipped.',
    '--signin -- COMMAND runs COMMAND once per sign-in against an emulated service; most sign-ins must be refused. COMMAND reads AUTHCLI_AUTH_URL, AUTHCLI_CLIENT_ID, AUTHCLI_SECRET_KEY, AUTHCLI_PTN_TOKEN and AUTHCLI_CIPHER from its environment, does what your server does with a ptn_token, and exits within --timeout: with 0 for "signed in", with any other status for "refused". With --url, test users are signed up there first, so that your application stores their keys and passcodes; without it, AUTHCLI_PTN_CD, AUTHCLI_KEY and AUTHCLI_SUPER_PASSCODE describe the only user that COMMAND needs to know. The url of the profile is used like --url; --check signin leaves the checks of the callback out.',
    '--signin-url sends {"ptn_token": "…"} with POST to a URL of your application instead: a 2xx response means "signed in", 4xx and 5xx "refused". First set the {auth_url} of your application to http://127.0.0.1:PORT (the port of --auth-port), with the same client id and secret key. The user is one that was signed up at --url, or that of --ptn-cd.',
    '--every repeats the run for operations: a line per run, and the whole report where something changed, that is, another status or diagnosis of a check, an endpoint that does not respond, or its certificate. Each change is reported once. Runs that would overlap are left out. After --times or a signal the exit status is that of the worst run, or of the signal.',
    'On GitHub Actions, --format github writes annotations and the step summary.',
  ],
  examples: {
    everything: 'authcli verify --url http://localhost:8080/callback',
    'in a pipeline, as soon as the server is up':
      'authcli verify --url http://localhost:8080/callback --wait 60s --report junit=verify.xml',
    'the sign-in alone, here by authcli itself':
      'authcli verify --check signin --signin -- authcli signin',
  },
  // Not async: on a signal the outcome is there at once, before the run counts as stopped.
  run: (options, session) => {
    checkRepeatOptions(options);
    if (!isRepeated(options)) return runVerify(options, session);
    const loaded = import('./repeated-verification.ts');
    return loaded.then(({ verifyRepeatedly }) => verifyRepeatedly(options, session));
  },
});
