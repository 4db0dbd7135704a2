import { callbackUrl } from '../protocol/endpoints.ts';
import { cipherFlag } from './cipher-flag.ts';
import { clientIdFlag } from './common-flags.ts';
import { errorLimit, positive, stage } from './load-values.ts';
import { networkFlags } from './network-flags.ts';
import { defaulted, list, type OptionsOf, optional, toggle } from './options.ts';
import { privateKeysFlag } from './private-keys-flag.ts';
import { reportFileOf } from './report-files.ts';
import { registrationFlags } from './simulation-flags.ts';
import { checkedAuthUrl, urlFlag } from './url-flags.ts';
import { choice, duration, integer, nonEmpty, secretText } from './values.ts';

const scenarios = ['signup', 'signin'] as const;
export const loadReportKinds = ['json', 'html'] as const;

/** What `load` does, and to whom. */
const taskFlags = {
  url: optional(urlFlag.syntax, urlFlag.about, { parse: callbackUrl, setting: 'url' }),
  scenario: defaulted('--scenario <name>', 'what is done over and over', 'signup', {
    input: 'word',
    choices: scenarios,
    parse: choice(scenarios),
  }),
  clientId: clientIdFlag,
  cipher: cipherFlag,
  keyPairs: defaulted('--key-pairs <n>', 'how many service key pairs take turns', '4', {
    parse: integer(1, 64),
  }),
  privateKey: privateKeysFlag,
  userInfo: registrationFlags.userInfo,
  noUserInfo: registrationFlags.noUserInfo,
  saveUsers: toggle('--save-users', 'keep the users in the profile, in one write at the end'),
  authUrl: optional('--auth-url <url>', "signin: the service's address, {auth_url}", {
    parse: checkedAuthUrl,
    setting: 'auth-url',
  }),
  secretKey: optional('--secret-key <secret>', 'signin: the application server secret key', {
    parse: secretText,
    setting: 'secret-key',
    secret: true,
  }),
  ptnTokens: optional('--ptn-tokens <file>', 'signin: ptn_tokens, one a line, used by turns', {
    input: 'file',
    secret: true,
  }),
  allowHost: optional('--allow-host <name>', 'yes, load this host, which is not this machine', {
    input: 'word',
    parse: nonEmpty,
  }),
} as const;

/** How many, how fast, for how long. */
const paceFlags = {
  signups: optional('--signups <n>', 'so many, then end', { parse: integer(1, 1_000_000_000) }),
  duration: optional('--duration <duration>', 'so long, then end (default 10s)', {
    parse: duration,
  }),
  rate: optional(
    '--rate <per-second>',
    'begin so many a second, whether others have ended or not',
    {
      parse: positive,
    },
  ),
  stage: list('--stage <duration:rate>', 'go evenly to this rate within that time', {
    input: 'word',
    parse: stage,
  }),
  concurrency: optional(
    '--concurrency <n>',
    'so many at the same time (16; with a rate, at most: 500)',
    {
      parse: integer(1, 100_000),
    },
  ),
  rampUp: optional('--ramp-up <duration>', 'come to the rate or concurrency evenly', {
    parse: duration,
  }),
  warmUp: optional('--warm-up <duration>', 'a beginning that is not counted', { parse: duration }),
  workers: optional('--workers <n>', 'threads', { parse: integer(1, 256) }),
} as const;

/** What the exit status is to depend on. */
export const thresholdFlags = {
  maxP50: optional('--max-p50 <duration>', 'fail if the median is longer', { parse: duration }),
  maxP90: optional('--max-p90 <duration>', 'fail if more than 10% take longer', {
    parse: duration,
  }),
  maxP99: optional('--max-p99 <duration>', 'fail if more than 1% take longer', { parse: duration }),
  maxLatency: optional('--max-latency <duration>', 'fail if any takes longer', { parse: duration }),
  maxErrors: optional(
    '--max-errors <n>',
    'fail only if more fail: a number, or a share such as 1%',
    {
      parse: errorLimit,
    },
  ),
  minRate: optional('--min-rate <per-second>', 'fail if fewer succeed a second', {
    parse: positive,
  }),
} as const;

/** What `load` takes. */
export const loadFlags = {
  ...taskFlags,
  ...paceFlags,
  ...thresholdFlags,
  report: list('--report <kind=file>', 'write a report: json, html', {
    input: 'word',
    group: 'output',
    candidates: 'load-report',
    parse: reportFileOf(loadReportKinds, 'html=load.html'),
  }),
  ...networkFlags,
} as const;

export type LoadOptions = OptionsOf<typeof loadFlags>;

/** What can't be said together. */
export const loadExclusive = [
  ['signups', 'duration'],
  ['stage', 'rate'],
  ['stage', 'duration'],
  ['stage', 'signups'],
  ['stage', 'rampUp'],
  ['userInfo', 'noUserInfo'],
  ['privateKey', 'keyPairs'],
] as const;
