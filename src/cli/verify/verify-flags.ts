import { readUserCodes } from '../../conformance/test-data.ts';
import { callbackUrl } from '../../protocol/endpoints.ts';
import {
  cipherFlag,
  clientIdFlag,
  emulatedSecretKeyFlag,
  expireTimeZoneFlag,
  keyFlag,
  ptnCdFlag,
  urlFlag,
} from '../args/flags.ts';
import { defaulted, list, type OptionsOf, optional, optionally, toggle } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { choice, duration, integer, nonEmpty, quote } from '../args/values.ts';
import { usage } from '../failure.ts';
import { namesProgram } from '../process/given-command.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';
import { reportFlag } from './report-files.ts';

const formats = ['human', 'github'] as const;

export const verifyFlags = {
  url: optionally(urlFlag),
  clientId: clientIdFlag,
  cipher: cipherFlag,
  users: defaulted('--users <n>', 'the number of users to sign up concurrently', '8', {
    parse: integer(2, 200),
  }),
  userCodes: optional('--user-codes <file>', 'use these ptn_cd values, one per line', {
    input: 'file',
    parse: readUserCodes,
  }),
  safe: toggle(
    '--safe',
    'run only the production subset: valid requests of a single user (--list names it)',
  ),
  every: optional('--every <duration>', 'run again and again, at this interval; one line per run', {
    parse: duration,
  }),
  times: optional('--times <n>', 'end after N runs', { parse: integer(1, 1_000_000_000) }),
  metrics: optional(
    '--metrics <host:port>',
    'serve metrics for Prometheus at http://HOST:PORT/metrics',
    { input: 'word', parse: hostAndPort },
  ),
  onChange: optional(
    '--on-change <command>',
    'run this program for each change, which it reads as JSON from standard input',
    { input: 'word', parse: nonEmpty },
  ),
  signin: toggle('--signin', 'check the sign-in too, performed by the command after --'),
  signinUrl: optional('--signin-url <url>', 'check the sign-in too, triggered at this URL', {
    parse: callbackUrl,
  }),
  authPort: defaulted(
    '--auth-port <n>',
    'the port of the emulated service; 0 picks a free one for each sign-in',
    '0',
    {
      parse: integer(0, 65_535),
    },
  ),
  patience: defaulted(
    '--patience <duration>',
    'how long a silent service waits for the application to give up a sign-in',
    '30s',
    { parse: duration },
  ),
  secretKey: emulatedSecretKeyFlag,
  ptnCd: { ...ptnCdFlag, about: 'the user who signs in (default: new users)' },
  key: { ...keyFlag, about: "that user's per-user key (default: the stored one)" },
  superPasscode: {
    ...registrationFlags.superPasscode,
    about: "that user's passcode (default: the stored one)",
  },
  expireTimeZone: expireTimeZoneFlag,
  check: list('--check <id>', 'run only this check; globs such as registration/*', {
    input: 'word',
    candidates: 'callback-check',
    parse: nonEmpty,
  }),
  skip: list('--skip <id>', 'skip this check; globs too', {
    input: 'word',
    candidates: 'callback-check',
    parse: nonEmpty,
  }),
  failed: toggle('--failed', 'run only the checks that failed last time at this URL'),
  list: toggle('--list', 'list the checks without sending anything'),
  strict: toggle('--strict', 'treat failed should checks as failures'),
  bail: toggle('--bail', 'stop after the first failure'),
  report: reportFlag,
  format: defaulted('--format <name>', 'the format of standard output', 'human', {
    input: 'word',
    group: 'output',
    choices: formats,
    parse: choice(formats),
  }),
  seed: optional('--seed <text>', 'repeat a run: same users, same payloads', {
    input: 'word',
    parse: nonEmpty,
  }),
  wait: optional('--wait <duration>', 'wait up to DURATION for the endpoint to respond', {
    parse: duration,
  }),
  expect: optional('--expect <file>', 'known failures with their reasons (JSON)', {
    input: 'path',
  }),
  updateExpect: toggle('--update-expect', 'write the failures of this run to that file'),
  ...networkFlags,
} as const;

export type VerifyOptions = OptionsOf<typeof verifyFlags>;

/** Options of runs that are repeated. */
export type RepeatedOptions = VerifyOptions & { readonly every: number };

export function isRepeated(options: VerifyOptions): options is RepeatedOptions {
  return options.every !== undefined && !options.list;
}

/** Throws `usage` for what has no meaning without --every. */
export function checkRepeatOptions({ every, times, metrics, onChange }: VerifyOptions): void {
  if (every !== undefined) {
    if (onChange === undefined || namesProgram(onChange)) return;
    throw usage('--on-change names no program.', 'For example: --on-change ./notify.sh');
  }
  const given = { '--times': times, '--metrics': metrics, '--on-change': onChange };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw usage(`${name} needs --every.`, 'Add --every 5m, for a single run with --times 1.');
  }
}

/** Where metrics are served. */
interface Place {
  readonly host: string;
  readonly port: number;
}

function hostAndPort(text: string): Place {
  const [, bracketed, name, digits = ''] =
    /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw usage(`${quote(text)} is not HOST:PORT.`, 'For example 127.0.0.1:9464, or [::1]:9464.');
}
