import type { Transport } from '../../client/exchange.ts';
import { plainOptions } from '../../client/transport-options.ts';
import { Secret } from '../../crypto/secret.ts';
import type { LoadTask } from '../../load/job.ts';
import {
  judgeThresholds,
  type LoadProgress,
  type LoadResult,
  LoadRun,
  type ThresholdVerdict,
} from '../../load/run.ts';
import { signUps } from '../../load/scenario.ts';
import { userInformationTexts } from '../../protocol/user-info.ts';
import { jsonDocument } from '../../reports/json.ts';
import { loadHtml, loadLines, toLoadDocument } from '../../reports/load.ts';
import { counted } from '../../text.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { exitStatus } from '../exit-status.ts';
import { type Failure, failureOf, usage } from '../failure.ts';
import { openNetwork, resolveHeaders, transportOptions } from '../network.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../terminal/style.ts';
import { checkReportFiles, jsonReport } from '../verify/report-files.ts';
import type { LoadOptions } from './load.ts';
import { checkTarget, paceText, scheduleOf, taskOf, threadsOf } from './load-task.ts';

/** A run of `load`; on a signal its outcome is that of what ran, at once. */
export function runLoad(options: LoadOptions, session: Session): Promise<Outcome> {
  const { context } = session;
  let stop: (() => Outcome) | undefined;
  const perform = async (): Promise<Outcome> => {
    const target = options.url;
    checkTarget(target, options.allowHost);
    if (options.retry > 0) {
      throw usage('A load does not retry: --retry would hide failures.', 'Leave it out.');
    }
    await checkReportFiles(options.report, session);
    const schedule = scheduleOf(options);
    const task = await taskOf(options, session);
    if (session.global.trace || options.curl || options.har !== undefined)
      await runSample(await openNetwork(options, session), task, session);
    const header = await resolveHeaders(options.header, session);
    const network = transportOptions({ ...options, header }, session);
    const { signal: _, now: __, retries: ___, ...wire } = network;
    const progress = session.progress(`Loading ${target.href}`);
    const threads = await context.loadThreads();
    const run = new LoadRun({
      task,
      wire: plainOptions(wire),
      schedule,
      threads: threadsOf(options, target, threads.parallelism),
      startThread: threads.start,
      emit: (event) => {
        if (event.type === 'secret') session.secrets.addFromPeer(event.value);
        if (event.type === 'progress')
          progress.update(`${target.href}: ${progressText(event.progress)}`);
      },
    });
    const cpuBeforeMs = context.resources().cpuMs;
    let outcome: Outcome | undefined;
    const conclude = (result: LoadResult): Outcome => {
      progress.stop();
      const pace = paceText(schedule);
      if (outcome === undefined) {
        outcome = reportOf(result, { url: target.href, pace, cpuBeforeMs }, options, session);
      }
      return outcome;
    };
    stop = () => {
      session.atEnd(() => run.halt());
      return conclude(run.result(true));
    };
    return conclude(await run.start());
  };
  return outcomeOrStop(context.signal, perform(), () => stop?.());
}

function progressText({ perSecond, p99, failed, ended, elapsedMs }: LoadProgress): string {
  const seconds = Math.round(elapsedMs / 1000);
  return `${seconds} s, ${Math.round(perSecond)}/s, p99 ${p99.toFixed(1)} ms, ${ended} ended, ${failed} failed`;
}

function reportOf(
  result: LoadResult,
  run: { readonly url: string; readonly pace: string; readonly cpuBeforeMs: number },
  { report, ...options }: LoadOptions,
  session: Session,
): Outcome {
  const { context, style } = session;
  const { signal, version } = context;
  const { url, pace } = run;
  const thresholds = judgeThresholds(result, options);
  const { cpuMs, peakMemoryBytes } = context.resources();
  const whole = toLoadDocument(result, {
    version,
    url,
    pace,
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
    for (const { kind, file } of report) {
      const text = kind === 'html' ? loadHtml(document) : jsonDocument(json);
      await writeOutputFile(file, text, '--report', session);
    }
  });
  const look = { style, width: columnsOf(context.stdout), fixedBelow: failure?.code };
  return { fields: { ...document }, lines: loadLines(document, look), failure };
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
    secrets.addUserInfo(...userInformationTexts(Secret.text(secret)));
  }
}
