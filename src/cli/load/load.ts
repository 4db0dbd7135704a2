import { cipherFlag, clientIdFlag, privateKeyFlags, urlFlag } from '../args/flags.ts';
import { list, type OptionsOf, optional } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { duration, integer, nonEmpty, quote } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../failure.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';
import { reportFileOf } from '../verify/report-files.ts';
import { runLoad } from './load-session.ts';

const taskFlags = {
  url: urlFlag,
  clientId: clientIdFlag,
  cipher: cipherFlag,
  ...privateKeyFlags,
  userInfo: registrationFlags.userInfo,
  noUserInfo: registrationFlags.noUserInfo,
  allowHost: optional('--allow-host <name>', 'confirm a host other than this machine', {
    input: 'word',
    parse: nonEmpty,
  }),
} as const;

const paceFlags = {
  signups: optional('--signups <n>', 'stop after N sign-ups', { parse: integer(1, 1_000_000_000) }),
  duration: optional('--duration <duration>', 'stop after DURATION (default 10s)', {
    parse: duration,
  }),
  rate: optional(
    '--rate <per-second>',
    'start N per second, whether earlier ones have ended or not',
    { parse: positive },
  ),
  concurrency: optional(
    '--concurrency <n>',
    'run N concurrently (default 16); with a rate, at most N (default 500)',
    { parse: integer(1, 100_000) },
  ),
  workers: optional('--workers <n>', 'the number of threads', { parse: integer(1, 256) }),
} as const;

const thresholdFlags = {
  maxP99: optional('--max-p99 <duration>', 'fail if more than 1% take longer', { parse: duration }),
  maxErrors: optional(
    '--max-errors <n>',
    'fail only if more fail: a number, or a share such as 1%',
    { parse: errorLimit },
  ),
} as const;

const loadReportKinds = ['json', 'html'] as const;

const loadFlags = {
  ...taskFlags,
  ...paceFlags,
  ...thresholdFlags,
  report: list('--report <kind=file>', 'write a report: json, html', {
    input: 'word',
    group: 'output',
    parse: reportFileOf(loadReportKinds, 'html=load.html'),
  }),
  ...networkFlags,
} as const;

export type LoadOptions = OptionsOf<typeof loadFlags>;

const loadExclusive = [
  ['signups', 'duration'],
  ['userInfo', 'noUserInfo'],
] as const;

/** A number above zero. */
function positive(text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  if (value > 0 && value <= 1_000_000) return value;
  throw usage(`${quote(text)} is not a number above 0.`, 'For example 50, or 0.5.');
}

/** `5`, or `1%` of all. */
function errorLimit(text: string): { readonly count: number } | { readonly share: number } {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const value = Number(digits);
  if (percent === '%' && value <= 100) return { share: value / 100 };
  if (percent === '' && Number.isInteger(value)) return { count: value };
  throw usage(`${quote(text)} is neither a whole number nor a share.`, 'Write 0, 5 or 1%.');
}

export const load = defineCommand({
  path: 'load',
  about:
    'Signs up many users, as fast as the application responds or at a fixed rate: sends both callbacks for each user, decrypts and checks every key, and compares it with those of the other users. Reports latencies and diagnoses failures as a single sign-up does.',
  flags: loadFlags,
  exclusive: loadExclusive,
  notes: [
    'Without --rate, a fixed number of sign-ups run concurrently, and each starts when another ends (closed model). With it, sign-ups start on schedule whether earlier ones have ended or not, and latency is measured from the scheduled start (open model), so it includes queueing. Latencies cover sign-ups that succeeded or exceeded --timeout.',
    'A missed threshold, or more failures than --max-errors allows (default: none), ends with exit status 1. An interrupted run still writes its report.',
    'Hosts other than this machine must be confirmed with --allow-host. Workers are threads; against this machine they use half of the cores and leave the rest to the application. --trace, --curl and --har show one sign-up made before the run.',
    'For more than one machine: authcli load export.',
  ],
  examples: {
    'ten seconds, 16 at the same time': 'authcli load --url http://localhost:8080/callback',
    'a fixed rate, with thresholds':
      'authcli load --url http://localhost:8080/callback --rate 50 --duration 30s --max-p99 200ms --max-errors 1%',
    'an HTML report':
      'authcli load --url http://localhost:8080/callback --signups 1000 --report html=load.html',
  },
  run: runLoad,
});
