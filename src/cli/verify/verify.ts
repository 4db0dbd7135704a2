import { readUserCodes } from '../../conformance/test-data.ts';
import { callbackUrl } from '../../protocol/endpoints.ts';
import {
  cipherFlag,
  clientIdFlag,
  expireTimeZoneFlag,
  keyFlag,
  optionalUrlFlag,
  ptnCdFlag,
  secretKeyFlag,
} from '../args/flags.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { appFlags, networkFlags } from '../args/shared-flags.ts';
import { duration, integer, nonEmpty, quote } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../failure.ts';
import { namesProgram } from '../process/given-command.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';
import { reportFlag } from './report-files.ts';
import { runVerify } from './verification.ts';

const formats = ['human', 'github'] as const;

const word = { input: 'word', parse: nonEmpty } as const;
const checkIds = { ...word, candidates: 'callback-check' } as const;

const verifyFlags = {
  url: optionalUrlFlag,
  clientId: clientIdFlag,
  cipher: cipherFlag,
  users: flag('--users <n>', 'the number of users to sign up concurrently', {
    fallback: '8',
    parse: integer(2, 200),
  }),
  userCodes: flag('--user-codes <file>', 'use these ptn_cd values, one per line', {
    input: 'file',
    parse: readUserCodes,
  }),
  safe: flag(
    '--safe',
    'run only the production subset: valid requests of a single user (--list names it)',
  ),
  every: flag('--every <duration>', 'run again and again, at this interval; one line per run', {
    parse: duration,
  }),
  watch: flag(
    '--watch',
    'run again when a file below this folder changes (with --app, restarting it), and print what changed',
  ),
  times: flag('--times <n>', 'end after N runs', { parse: integer(1, 1_000_000_000) }),
  metrics: flag(
    '--metrics <host:port>',
    'serve metrics for Prometheus at http://HOST:PORT/metrics',
    { input: 'word', parse: hostAndPort },
  ),
  onChange: flag(
    '--on-change <command>',
    'run this program for each change, which it reads as JSON from standard input',
    word,
  ),
  signin: flag('--signin', 'check the sign-in too, performed by the command after --'),
  signinUrl: flag('--signin-url <url>', 'check the sign-in too, triggered at this URL', {
    parse: callbackUrl,
  }),
  authPort: flag(
    '--auth-port <n>',
    'the port of the emulated service; 0 picks a free one for each sign-in',
    { fallback: '0', parse: integer(0, 65_535) },
  ),
  patience: flag(
    '--patience <duration>',
    'how long a silent service waits for the application to give up a sign-in',
    { fallback: '30s', parse: duration },
  ),
  secretKey: secretKeyFlag,
  ptnCd: { ...ptnCdFlag, about: 'the user who signs in (default: new users)' },
  key: { ...keyFlag, about: "that user's per-user key (default: the stored one)" },
  superPasscode: {
    ...registrationFlags.superPasscode,
    about: "that user's passcode (default: the stored one)",
  },
  expireTimeZone: expireTimeZoneFlag,
  check: flag('--check <id...>', 'run only this check; globs such as registration/*', checkIds),
  skip: flag('--skip <id...>', 'skip this check; globs too', checkIds),
  requirements: flag(
    '--requirements <n>',
    'check this version of the requirements, so that an update adds no check (default: the newest)',
    word,
  ),
  list: flag('--list', 'list the checks without sending anything'),
  strict: flag('--strict', 'treat failed should checks as failures'),
  bail: flag('--bail', 'stop after the first failure'),
  report: reportFlag,
  format: flag(
    '--format <name>',
    'the format of standard output (default: github on GitHub Actions, else human)',
    {
      input: 'word',
      group: 'output',
      choices: formats,
    },
  ),
  seed: flag('--seed <text>', 'repeat a run: same users, same payloads', word),
  wait: flag('--wait <duration>', 'wait up to DURATION for the endpoint to handle POST requests', {
    parse: duration,
  }),
  expect: flag('--expect <file>', 'known failures with their reasons (JSON)', {
    input: 'path',
  }),
  updateExpect: flag('--update-expect', 'write the failures of this run to that file'),
  ...appFlags,
  ...networkFlags,
} as const;

export type VerifyOptions = OptionsOf<typeof verifyFlags>;

export const verify = defineCommand({
  path: 'verify',
  about:
    'Checks an application against the interface: its callback endpoint, with test users and malformed requests, and with --signin or --signin-url its sign-in. Reports for each check whether it passed, what was observed, and how to fix it. Every request names its check in the header X-Authcli-Check. For CI: exits with 0 only if every must was tested and none failed.',
  flags: verifyFlags,
  exclusive: [
    ['bail', 'updateExpect'],
    ['every', 'watch', 'list'],
    ['every', 'watch', 'updateExpect'],
    ['safe', 'signin', 'signinUrl'],
  ],
  idle: ({ signin, signinUrl }) => (signin || signinUrl !== undefined ? [] : ['secretKey']),
  takesCommand: true,
  needs: ({ list, signin, signinUrl }) =>
    list || signin || signinUrl !== undefined ? [] : ['url'],
  notes: [
    'Test users have generated codes that begin with authcli-; reports list them. If your application only lets known users sign up, give their codes with --user-codes.',
    'A must is required by the interface and fails the run; a should is not, and warns. A check that sends a malformed request counts only if the unmodified request is accepted. A must that could not be tested is incomplete: the run fails unless the file of --expect names it.',
    '--signin -- COMMAND runs COMMAND once per sign-in against an emulated service; most sign-ins must be refused. COMMAND reads AUTHCLI_AUTH_URL, AUTHCLI_CLIENT_ID, AUTHCLI_SECRET_KEY, AUTHCLI_PTN_TOKEN and AUTHCLI_CIPHER from its environment, does what your server does with a ptn_token, and exits within --timeout: with 0 for "signed in", with any other status for "refused". With --url, test users are signed up there first, so that your application stores their keys and passcodes; without it, AUTHCLI_PTN_CD, AUTHCLI_KEY and AUTHCLI_SUPER_PASSCODE describe the only user that COMMAND needs to know. The url of the profile is used like --url; --check signin leaves the checks of the callback out.',
    '--signin-url sends {"ptn_token": "…"} with POST to a URL of your application instead: a 2xx response means "signed in", 4xx and 5xx "refused". First set the {auth_url} of your application to http://127.0.0.1:PORT (the port of --auth-port), with the same client id and secret key. The user is one that was signed up at --url, or that of --ptn-cd.',
    '--app starts your application for the run and ends it with its whole process group; --app-log reads a log that is there, such as that of a container: `docker logs -f app 2>&1 | authcli verify --app-log - …`. Where a check fails, the report quotes the exception that was logged, and the file and line. --watch is for fixing: it runs again, and restarts --app, when a file below this folder changes.',
    '--every repeats the run for operations: a line per run, and the whole report where something changed, that is, another status or diagnosis of a check, an endpoint that does not respond, or its certificate. Each change is reported once. Runs that would overlap are left out. After --times or a signal the exit status is that of the worst run, or of the signal.',
    'On GitHub Actions, the report is annotations and the step summary, as --format github gives them anywhere; --format human prints the one for people.',
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
    const { every, watch, list } = options;
    if ((every === undefined && !watch) || list) return runVerify(options, session);
    const loaded = import('./repeated-verification.ts');
    return loaded.then(({ verifyRepeatedly }) => verifyRepeatedly(options, session));
  },
});

/** Throws `usage` for what has no meaning without --every or --watch. */
function checkRepeatOptions({ every, watch, times, metrics, onChange }: VerifyOptions): void {
  if (every !== undefined || watch) {
    if (onChange === undefined || namesProgram(onChange)) return;
    throw usage('--on-change names no program.', 'For example: --on-change ./notify.sh');
  }
  const given = { '--times': times, '--metrics': metrics, '--on-change': onChange };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw usage(
      `${name} needs --every or --watch.`,
      'Add --every 5m, for a single run with --times 1.',
    );
  }
}

/** Where metrics are served. */
function hostAndPort(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, name, digits = ''] =
    /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw usage(`${quote(text)} is not HOST:PORT.`, 'For example 127.0.0.1:9464, or [::1]:9464.');
}
