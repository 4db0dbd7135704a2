import { readUserCodes } from '../../conformance/test-data.ts';
import { callbackUrl } from '../../protocol/endpoints.ts';
import { reportKindNames } from '../../reports/verify-kinds.ts';
import {
  cipherFlag,
  clientIdFlag,
  emulatedSecretKeyFlag,
  expireTimeZoneFlag,
  keyFlag,
  ptnCdFlag,
  urlFlag,
} from '../args/flags.ts';
import { networkFlags } from '../args/network-flags.ts';
import { defaulted, list, type OptionsOf, optional, optionally, toggle } from '../args/options.ts';
import { choice, duration, integer, nonEmpty } from '../args/values.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';
import { repeatFlags } from './repeat-flags.ts';
import { reportFile } from './report-files.ts';

const formats = ['human', 'github'] as const;

export const checkRunFlags = {
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
  report: list('--report <kind=file>', `write a report: ${reportKindNames.join(', ')}`, {
    input: 'word',
    group: 'output',
    parse: reportFile,
  }),
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

export type CheckRunOptions = OptionsOf<typeof checkRunFlags>;

/** How the application is made to sign in, and at which service. */
const signinFlags = {
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
} as const;

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
  ...repeatFlags,
  ...signinFlags,
  ...checkRunFlags,
} as const;

export type VerifyOptions = OptionsOf<typeof verifyFlags>;
