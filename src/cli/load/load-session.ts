import type { Environment, Secrets } from '../../app/environment.ts';
import { hideUserInformation } from '../../app/hide-user-information.ts';
import type { Transport } from '../../client/transport.ts';
import { plainOptions } from '../../client/transport-options.ts';
import { Secret } from '../../crypto/secret.ts';
import type { LoadTask } from '../../load/job.ts';
import { KeyMemory } from '../../load/key-examiner.ts';
import { judgeThresholds, type LoadResult, type ThresholdVerdict } from '../../load/result.ts';
import { type LoadProgress, LoadRun } from '../../load/run.ts';
import { createScenario } from '../../load/scenario.ts';
import { jsonDocument } from '../../reports/json.ts';
import { type LoadDocument, toLoadDocument } from '../../reports/load-document.ts';
import { loadHtml } from '../../reports/load-html.ts';
import { loadLines } from '../../reports/load-human.ts';
import { counted } from '../../text.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { exitStatus } from '../exit-status.ts';
import { type Failure, failureOf, usage } from '../failure.ts';
import { openNetwork, resolveHeaders, transportOptions } from '../network.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import type { Progress } from '../terminal/progress.ts';
import { columnsOf } from '../terminal/style.ts';
import { checkReportFiles, jsonReport, type ReportFile } from '../verify/report-files.ts';
import type { LoadOptions, loadReportKinds } from './load.ts';
import { checkTarget, paceText, scheduleOf, targetOf, taskOf, threadsOf } from './load-task.ts';

/** A run of `load`; its reports are also written if it is stopped. */
export class LoadSession {
  readonly #options: LoadOptions;
  readonly #session: Session;
  #run: LoadRun | undefined;
  #target = '';
  #pace = '';
  #progress: Progress | undefined;
  #cpuBeforeMs = 0;
  #outcome: Outcome | undefined;

  constructor(options: LoadOptions, session: Session) {
    this.#options = options;
    this.#session = session;
  }

  /** The outcome; on a signal immediately, with what ran. */
  start(): Promise<Outcome> {
    return outcomeOrStop(this.#session.context.signal, this.#perform(), () => {
      const run = this.#run;
      if (run === undefined) return undefined;
      this.#session.atEnd(() => run.halt());
      return this.#conclude(run.result(true));
    });
  }

  async #perform(): Promise<Outcome> {
    const options = this.#options;
    const session = this.#session;
    const target = targetOf(options);
    checkTarget(target, options.allowHost);
    if (options.retry > 0) {
      throw usage('A load does not retry: --retry would hide failures.', 'Leave it out.');
    }
    await checkReportFiles(options.report, session);
    const schedule = scheduleOf(options);
    const task = await taskOf(options, target, session);
    if (session.global.trace || options.curl || options.har !== undefined) {
      const transport = await openNetwork(options, session);
      await runSample(transport, task, session.context, session.secrets);
    }
    const header = await resolveHeaders(options.header, session);
    const {
      signal: _,
      now: __,
      retries: ___,
      ...wire
    } = transportOptions({ ...options, header }, session);
    this.#target = target.href;
    this.#pace = paceText(schedule);
    const progress = session.progress(`Loading ${target.href}`);
    this.#progress = progress;
    const threads = await session.context.loadThreads();
    const run = new LoadRun({
      task,
      wire: plainOptions(wire),
      schedule,
      threads: threadsOf(options, target, threads.parallelism),
      startThread: threads.start,
      emit: (event) => {
        if (event.type === 'secret') session.secrets.addFromPeer(event.value);
        if (event.type === 'progress') progress.update(this.#progressText(event.progress));
      },
    });
    this.#cpuBeforeMs = session.context.resources().cpuMs;
    this.#run = run;
    return this.#conclude(await run.start());
  }

  #progressText({ perSecond, p99, failed, ended, elapsedMs }: LoadProgress): string {
    const seconds = Math.round(elapsedMs / 1000);
    const what = `${ended} ended, ${failed} failed`;
    return `${this.#target}: ${seconds} s, ${Math.round(perSecond)}/s, p99 ${p99.toFixed(1)} ms, ${what}`;
  }

  #conclude(result: LoadResult): Outcome {
    this.#outcome ??= this.#report(result);
    return this.#outcome;
  }

  #report(result: LoadResult): Outcome {
    this.#progress?.stop();
    const session = this.#session;
    const { context, style } = session;
    const options = this.#options;
    const thresholds = judgeThresholds(result, options);
    const { cpuMs, peakMemoryBytes } = context.resources();
    const whole = toLoadDocument(result, {
      version: context.version,
      url: this.#target,
      pace: this.#pace,
      thresholds,
      notes: notesOf(result),
      used: { cpuMs: cpuMs - this.#cpuBeforeMs, peakMemoryBytes },
    });
    const document = session.redactJson(whole);
    const { signal } = context;
    const failure = signal.aborted
      ? failureOf(signal.reason)
      : failureOfLoad(result, thresholds, options.maxErrors !== undefined);
    const parts = { document, failure, command: 'load' };
    session.atEnd(() => writeLoadReports(parts, options.report, session));
    session.atEnd(() => this.#saveUsers());
    const lines = loadLines(document, {
      style,
      width: columnsOf(context.stdout),
      fixedBelow: failure?.code,
    });
    return { fields: { ...document }, lines, failure };
  }

  async #saveUsers(): Promise<void> {
    const { users = [] } = this.#run ?? {};
    if (users.length === 0) return;
    const state = await this.#session.state();
    await state.users.importUsers(
      users.map(({ ptnCd, key, superPasscode, userInfo }) => ({
        ptnCd,
        key: Secret.key(key),
        superPasscode: Secret.text(superPasscode),
        deliveredPasscode: Secret.text(superPasscode),
        userInfo: Secret.optional(userInfo),
        state: 'registered' as const,
      })),
    );
    this.#session.note(
      `${users.length === 1 ? '1 user is' : `${users.length} users are`} saved in the profile.`,
    );
  }
}

interface LoadReportParts {
  readonly document: LoadDocument;
  readonly failure: Failure | undefined;
  readonly command: string;
}

/** Writes the files of --report. */
async function writeLoadReports(
  { document, failure, command }: LoadReportParts,
  files: readonly ReportFile<(typeof loadReportKinds)[number]>[],
  session: Session,
): Promise<void> {
  const json = await jsonReport({ document: { command, ...document }, failure }, session);
  for (const { kind, file } of files) {
    const text = kind === 'html' ? loadHtml(document) : jsonDocument(json);
    await writeOutputFile(file, text, '--report', session);
  }
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
  if (worst !== undefined && !responded) {
    const { code, message, hint, calls } = worst;
    return { code, message, hint, calls, exitStatus: exitStatus.unreachable };
  }
  const broken = thresholds.filter(({ kept }) => !kept);
  if (broken.length > 0) return brokenThresholds(broken);
  if (ended === 0) {
    return {
      code: 'threshold-missed',
      message: 'Nothing was measured: no attempt ended.',
      hint: 'Run it longer.',
    };
  }
  if (worst === undefined || toleratesErrors) return undefined;
  const { code, message, hint, calls } = worst;
  return {
    code,
    message: `${failed} of ${ended} failed. ${message}`,
    hint,
    next: { command: 'simulate-signup' },
    calls,
    exitStatus: exitStatus.negative,
  };
}

function brokenThresholds(broken: readonly ThresholdVerdict[]): Failure {
  const reasons = broken.map(({ threshold, observed }) => `${threshold}: it was ${observed}`);
  return {
    code: 'threshold-missed',
    message: `The load missed ${broken.length === 1 ? 'a threshold' : 'thresholds'}: ${reasons.join('; ')}.`,
    hint: '',
  };
}

/** Notes that explain the figures. */
function notesOf(result: LoadResult): readonly string[] {
  const { busy, succeeded, notStarted, unfinished, weaknesses, examinedKeys } = result;
  const { gaveUp, failed } = result;
  const notes = [
    busy > 0.9 &&
      succeeded > 0 &&
      `authcli itself was the bottleneck: its busiest thread was busy ${Math.round(busy * 100)}% of the time, so latencies include its own queueing. Use more threads (on a separate machine) or a lower rate to measure the application alone.`,
    gaveUp === true &&
      `The run ended early: ${counted(failed, 'attempt')} failed and no response came.`,
    gaveUp !== true &&
      notStarted > 0 &&
      `${notStarted} were due but not started because the concurrency limit was reached: the application did not keep up.`,
    unfinished > 0 && `${unfinished} were in progress when the run was stopped.`,
    ...weaknesses.map(
      ({ code, count, message }) =>
        `${count} of the ${examinedKeys} keys examined are weak (${code}): ${message}`,
    ),
  ];
  return notes.filter((note) => note !== false);
}

/** Runs one sign-up or sign-in of a load, to be recorded: the exchanges of the load are too many. */
async function runSample(
  transport: Transport,
  task: LoadTask,
  environment: Environment,
  secrets: Secrets,
): Promise<void> {
  const thread = { index: 0, threads: 1, keys: KeyMemory.allocate() };
  const { secrets: used = [], user } = await createScenario(task, thread, environment).run(
    transport,
  );
  for (const secret of used) secrets.add(secret);
  if (user?.userInfo !== undefined) hideUserInformation(Secret.text(user.userInfo), secrets);
}
