import { readUserCodes } from '../conformance/user-codes.ts';
import { callbackUrl } from '../protocol/endpoints.ts';
import { reportKindNames } from '../reports/verify-kinds.ts';
import { cipherFlag } from './cipher-flag.ts';
import { clientIdFlag, emulatedSecretKeyFlag } from './common-flags.ts';
import { networkFlags } from './network-flags.ts';
import { defaulted, list, type OptionsOf, optional, toggle } from './options.ts';
import { reportFile } from './report-files.ts';
import { expireTimeZoneFlag } from './time-zone-flag.ts';
import { urlFlag } from './url-flags.ts';
import { choice, duration, integer, nonEmpty, perUserKey, secretText } from './values.ts';

const formats = ['human', 'github', 'tap'] as const;

/** What every command takes that runs checks. */
export const checkRunFlags = {
  check: list('--check <id>', 'run only this check; globs such as registration/*', {
    input: 'word',
    candidates: 'callback-check',
    parse: nonEmpty,
  }),
  skip: list('--skip <id>', 'leave this check out; globs too', {
    input: 'word',
    candidates: 'callback-check',
    parse: nonEmpty,
  }),
  list: toggle('--list', 'list the checks, and send nothing'),
  strict: toggle('--strict', 'a should that does not hold fails, too'),
  bail: toggle('--bail', 'end the run after the first failure'),
  report: list('--report <kind=file>', `write a report: ${reportKindNames.join(', ')}`, {
    input: 'word',
    group: 'output',
    candidates: 'report',
    parse: reportFile,
  }),
  format: defaulted('--format <name>', 'what standard output shows', 'human', {
    input: 'word',
    group: 'output',
    choices: formats,
    parse: choice(formats),
  }),
  seed: optional('--seed <text>', 'repeat a run: same users, same payloads', {
    input: 'word',
    parse: nonEmpty,
  }),
  wait: optional('--wait <duration>', 'wait so long for the endpoint to answer at all', {
    parse: duration,
  }),
  expect: optional('--expect <file>', 'known failures, each with its reason (JSON)', {
    input: 'path',
  }),
  updateExpect: toggle('--update-expect', 'write the failures of this run to that file'),
  ...networkFlags,
} as const;

export type CheckRunOptions = OptionsOf<typeof checkRunFlags>;

/** The half of the application that signs users in: how it is told to, and against what. */
const signinFlags = {
  signin: toggle('--signin', 'check the sign-in too, which the command behind -- does'),
  signinUrl: optional('--signin-url <url>', 'check the sign-in too, which is asked for there', {
    parse: callbackUrl,
  }),
  authHost: defaulted('--auth-host <address>', 'where the service is emulated', '127.0.0.1', {
    input: 'word',
    parse: nonEmpty,
  }),
  authPort: defaulted('--auth-port <n>', 'its port; 0 picks a free one for each sign-in', '0', {
    parse: integer(0, 65_535),
  }),
  secretKey: emulatedSecretKeyFlag,
  ptnCd: optional('--ptn-cd <code>', 'the user who signs in; default: new ones', {
    parse: nonEmpty,
  }),
  key: optional('--key <key>', "that user's per-user key; default: the one stored here", {
    parse: perUserKey,
    secret: true,
  }),
  superPasscode: optional(
    '--super-passcode <passcode>',
    "that user's passcode; default: the one stored here",
    { parse: secretText, secret: true },
  ),
  expireTimeZone: expireTimeZoneFlag,
} as const;

/** What `verify` takes. */
export const verifyFlags = {
  url: optional(urlFlag.syntax, urlFlag.about, { parse: callbackUrl, setting: 'url' }),
  noUrl: toggle('--no-url', 'the sign-in alone, also where the profile has a callback URL'),
  clientId: clientIdFlag,
  cipher: cipherFlag,
  users: defaulted('--users <n>', 'how many users sign up at the same time', '8', {
    parse: integer(2, 200),
  }),
  userCodes: optional('--user-codes <file>', 'use these ptn_cd, one a line', {
    input: 'file',
    parse: readUserCodes,
  }),
  ...signinFlags,
  ...checkRunFlags,
} as const;

export type VerifyOptions = OptionsOf<typeof verifyFlags>;
