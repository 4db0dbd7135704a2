import type { Transport } from '../../client/exchange.ts';
import { formatCipher } from '../../crypto/cipher.ts';
import { exportPrivateKey, type RsaPrivateKey } from '../../crypto/rsa-key.ts';
import { Secret } from '../../crypto/secret.ts';
import type { LoadTask, Schedule } from '../../load/job.ts';
import {
  judgeThresholds,
  type LoadResult,
  LoadRun,
  type ThresholdVerdict,
} from '../../load/run.ts';
import { checkSignupSettings, signUps } from '../../load/scenario.ts';
import { isLoopback } from '../../protocol/endpoints.ts';
import { jsonDocument } from '../../reports/json.ts';
import { loadHtml, loadLines, toLoadDocument } from '../../reports/load.ts';
import { counted } from '../../text.ts';
import { cipherFlag, clientIdFlag, privateKeyFlags, urlFlag } from '../args/flags.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { appFlags, networkFlags } from '../args/shared-flags.ts';
import { duration, integer, nonEmpty, quote } from '../args/values.ts';
import { defineCommand, type Outcome, outcomeOrStop } from '../command.ts';
import { exitStatus } from '../exit-status.ts';
import { type Failure, failureOf, usage } from '../failure.ts';
import { openNetwork, resolveHeaders, transportOptions, withProgress } from '../network.ts';
import type { Session } from '../session.ts';
import { registrationFlags } from '../simulate/simulation-flags.ts';
import { columnsOf } from '../terminal/style.ts';
import {
  jsonReport,
  prepareReports,
  reportFlagOf,
  type WriteReports,
} from '../verify/report-files.ts';

const loadReportKinds = ['json', 'html'] as const;

/** Retries would hide failures. */
const { retry: _, ...sendingFlags } = networkFlags;

const flags = {
  url: urlFlag,
  clientId: clientIdFlag,
  cipher: cipherFlag,
  ...privateKeyFlags,
  userInfo: registrationFlags.userInfo,
  noUserInfo: registrationFlags.noUserInfo,
  allowHost: flag('--allow-host <name>', 'confirm a host other than this machine', {
    input: 'word',
    parse: nonEmpty,
  }),
  signups: flag('--signups <n>', 'stop after N sign-ups', { parse: integer(1, 1_000_000_000) }),
  duration: flag('--duration <duration>', 'stop after DURATION (default 10s)', {
    parse: duration,
  }),
  rate: flag('--rate <per-second>', 'start N per second, whether earlier ones have ended or not', {
    parse: positive,
  }),
  concurrency: flag(
    '--concurrency <n>',
    'run N concurrently (default 16); with a rate, at most N (default 500)',
    { parse: integer(1, 100_000) },
  ),
  workers: flag('--workers <n>', 'the number of threads', { parse: integer(1, 256) }),
  maxP99: flag('--max-p99 <duration>', 'fail if more than 1% take longer', { parse: duration }),
  maxErrors: flag('--max-errors <n>', 'fail only if more fail: a number, or a share such as 1%', {
    parse: errorLimit,
  }),
  report: reportFlagOf(loadReportKinds, 'html=load.html'),
  ...appFlags,
  ...sendingFlags,
} as const;

type LoadOptions = OptionsOf<typeof flags>;

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
  flags,
  exclusive: [
    ['signups', 'duration'],
    ['userInfo', 'noUserInfo'],
  ],
  notes: [
    'Without --rate, a fixed number of sign-ups run concurrently, and each starts when another ends (closed model). With it, sign-ups start on schedule whether earlier ones have ended or not, and latency is measured from the scheduled start (open model), so it includes queueing. Latencies cover sign-ups that succeeded or exceeded --timeout.',
    'A missed threshold, or more failures than --max-errors allows (default: none), ends with exit status 1. An interrupted run still writes its report.',
    'Hosts other than this machine must be confirmed with --allow-host. Workers are threads; against this machine they use half of the cores and leave the rest to the application. --trace, --curl and --har show one sign-up made before the run.',
    'For more than one machine: `authcli load export`.',
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

/** Service key pairs that are used in turn. */
const keyPairCount = 4;
const defaultDurationMs = 10_000;
const defaultConcurrency = 16;
/** The most concurrent sign-ups at a set rate. */
const mostAtRate = 500;

function scheduleOf({ rate, concurrency, signups, duration }: LoadOptions): Schedule {
  return {
    pace:
      rate === undefined
        ? { model: 'closed', atOnce: concurrency ?? defaultConcurrency }
        : { model: 'open', perSecond: rate, mostAtOnce: concurrency ?? mostAtRate },
    signups: signups ?? Number.POSITIVE_INFINITY,
    durationMs: duration ?? (signups === undefined ? defaultDurationMs : Number.POSITIVE_INFINITY),
  };
}

/** On the machine of the application half of the cores, so that it has the others; elsewhere all. Each has a sign-up to do. */
function threadsOf({ workers, url }: LoadOptions, { pace }: Schedule, parallelism: number): number {
  const atOnce = pace.model === 'closed' ? pace.atOnce : pace.mostAtOnce;
  const sharing = isLoopback(url) ? Math.floor(parallelism / 2) : parallelism;
  return Math.max(1, Math.min(workers ?? sharing, atOnce));
}

/** The service key pairs of a load, as PEM: those given, or new ones. */
export async function loadKeyPairs(
  given: readonly RsaPrivateKey[],
  session: Session,
): Promise<readonly string[]> {
  const make = () => session.context.generateKeyPair();
  const pairs =
    given.length > 0
      ? given
      : await withProgress('Generating service key pairs', session, () =>
          Promise.all(Array.from({ length: keyPairCount }, make)),
        );
  const texts = pairs.map(exportPrivateKey);
  for (const text of texts) session.secrets.add(text);
  return texts;
}

/** A run of `load`; on a signal its outcome is that of what ran, at once. */
function runLoad(options: LoadOptions, session: Session): Promise<Outcome> {
  const { context } = session;
  let stop: (() => Outcome) | undefined;
  const perform = async (): Promise<Outcome> => {
    const { url: target, allowHost, privateKey, cipher, clientId } = options;
    // By mistake it would sign up thousands of users: another machine has to be named twice.
    if (!isLoopback(target) && allowHost?.toLowerCase() !== target.hostname) {
      const seen = allowHost === undefined ? '' : ` --allow-host names ${allowHost}.`;
      throw usage(
        `${target.hostname} is not this machine, and a load signs up as many users as it can.${seen}`,
        `If you are allowed to load it, confirm with --allow-host ${target.hostname}`,
      );
    }
    const subject = { command: 'load', target: target.href };
    const write = await prepareReports(options.report, subject, session);
    const schedule = scheduleOf(options);
    const userInfo = options.noUserInfo ? null : options.userInfo?.reveal();
    checkSignupSettings(cipher, userInfo);
    for (const note of privateKey.flatMap(({ notes }) => notes)) session.note(note);
    const keys = privateKey.map(({ key }) => key);
    const keyPairs = await loadKeyPairs(keys, session);
    const settings = { clientId, cipher: formatCipher(cipher), userInfo };
    const task: LoadTask = { url: target.href, ...settings, keyPairs };
    const own = { ...options, retry: 0 }; // which would hide failures
    const sample = await openNetwork(own, session, target);
    if (session.global.trace || options.curl || options.har !== undefined)
      await runSample(sample, task, session);
    const header = await resolveHeaders(options.header, session);
    const network = transportOptions({ ...own, header }, session);
    const { signal: _, now: __, retries: ___, ...wire } = network;
    const progress = session.progress(`Loading ${target.href}`);
    const threads = await context.loadThreads();
    const run = new LoadRun({
      task,
      wire,
      schedule,
      threads: threadsOf(options, schedule, threads.parallelism),
      startThread: threads.start,
      onSecret: (value) => session.secrets.addFromPeer(value),
      onProgress: ({ perSecond, p99, failed, ended, elapsedMs }) => {
        const pace = `${Math.round(elapsedMs / 1000)} s, ${Math.round(perSecond)}/s`;
        progress.update(
          `${target.href}: ${pace}, p99 ${p99.toFixed(1)} ms, ${ended} ended, ${failed} failed`,
        );
      },
    });
    const cpuBeforeMs = context.resources().cpuMs;
    let outcome: Outcome | undefined;
    const conclude = (result: LoadResult): Outcome => {
      progress.stop();
      outcome ??= reportOf(result, { schedule, cpuBeforeMs, write }, options, session);
      return outcome;
    };
    stop = () => {
      session.atEnd(() => run.stop());
      return conclude(run.result(true));
    };
    const result = await run.start();
    const [worst, ...others] = result.errors;
    const errors = worst === undefined ? [] : [await sample.explainLatest(worst), ...others];
    return conclude({ ...result, errors });
  };
  return outcomeOrStop(context.signal, perform(), () => stop?.());
}

function reportOf(
  result: LoadResult,
  run: {
    readonly schedule: Schedule;
    readonly cpuBeforeMs: number;
    readonly write: WriteReports<(typeof loadReportKinds)[number]>;
  },
  options: LoadOptions,
  session: Session,
): Outcome {
  const { context, style } = session;
  const { signal, version } = context;
  const thresholds = judgeThresholds(result, options);
  const { cpuMs, peakMemoryBytes } = context.resources();
  const whole = toLoadDocument(result, {
    version,
    url: options.url.href,
    pace: paceText(run.schedule),
    thresholds,
    notes: notesOf(result),
    cpuMs: cpuMs - run.cpuBeforeMs,
    peakMemoryBytes,
  });
  const document = session.redactJson(whole);
  const failure = signal.aborted
    ? failureOf(signal.reason)
    : failureOfLoad(result, thresholds, options.maxErrors !== undefined);
  session.atEnd(async () => {
    const parts = { document: { command: 'load', ...document }, failure };
    const json = await jsonReport(parts, session);
    await run.write((kind) =>
      kind === 'html' ? loadHtml(document, session.stack) : jsonDocument(json),
    );
  });
  const look = session.failureLook(style, columnsOf(context.stdout));
  return { fields: { ...document }, lines: loadLines(document, look, failure?.code), failure };
}

function paceText({ pace, signups, durationMs }: Schedule): string {
  const many =
    pace.model === 'closed' ? `${pace.atOnce} at the same time` : `${pace.perSecond} a second`;
  return `${many}, ${Number.isFinite(signups) ? `${signups} of them` : `for ${durationMs / 1000} s`}`;
}

/**
 * Undefined if the load passed. The first of: stopped, nothing reached, missed thresholds, and any failure,
 * unless --max-errors allows some.
 */
function failureOfLoad(
  result: LoadResult,
  thresholds: readonly ThresholdVerdict[],
  toleratesErrors: boolean,
): Failure | undefined {
  const { errors, failed, succeeded, responded } = result;
  const [worst] = errors;
  const ended = succeeded + failed;
  if (worst !== undefined && !responded) return { ...worst, exitStatus: exitStatus.unreachable };
  const broken = thresholds.filter(({ kept }) => !kept);
  if (broken.length > 0) {
    const reasons = broken.map(({ threshold, observed }) => `${threshold}: it was ${observed}`);
    const missed = broken.length === 1 ? 'a threshold' : 'thresholds';
    const message = `The load missed ${missed}: ${reasons.join('; ')}.`;
    return { code: 'threshold-missed', message, hint: '' };
  }
  if (ended === 0) {
    return {
      code: 'threshold-missed',
      message: 'Nothing was measured: no attempt ended.',
      hint: 'Run it longer.',
    };
  }
  if (worst === undefined || toleratesErrors) return undefined;
  return {
    ...worst,
    message: `${failed} of ${ended} failed. ${worst.message}`,
    next: { command: 'simulate-signup' },
    exitStatus: exitStatus.negative,
  };
}

function notesOf(result: LoadResult): readonly string[] {
  const { busy, succeeded, notStarted, unfinished } = result;
  const { gaveUp, failed } = result;
  const notes = [
    busy > 0.9 &&
      succeeded > 0 &&
      `authcli itself was the bottleneck: its busiest thread was busy ${Math.round(busy * 100)}% of the time, so latencies include its own queueing. Use more threads (on a separate machine) or a lower rate to measure the application alone.`,
    gaveUp && `The run ended early: ${counted(failed, 'attempt')} failed and no response came.`,
    !gaveUp &&
      notStarted > 0 &&
      `${notStarted} were due but not started because the concurrency limit was reached: the application did not keep up.`,
    unfinished > 0 && `${unfinished} were in progress when the run was stopped.`,
  ];
  return notes.filter((note) => note !== false);
}

/** Runs one sign-up of a load, to be recorded: the exchanges of the load are too many. */
async function runSample(
  transport: Transport,
  task: LoadTask,
  { context, secrets }: Session,
): Promise<void> {
  const { secrets: used } = await signUps(task, context)(transport);
  for (const secret of used) {
    secrets.add(secret);
    secrets.addUser({ userInfo: Secret.text(secret) });
  }
}
