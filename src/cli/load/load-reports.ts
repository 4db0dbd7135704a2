import type { LoadResult, ThresholdVerdict } from '../../load/result.ts';
import { jsonDocument } from '../../reports/json.ts';
import type { LoadDocument } from '../../reports/load-document.ts';
import { loadHtml } from '../../reports/load-html.ts';
import { counted } from '../../text.ts';
import { exitStatus } from '../exit-status.ts';
import type { Failure } from '../failure.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { jsonReport, type ReportFile } from '../verify/report-files.ts';
import type { loadReportKinds } from './load-flags.ts';

interface LoadReportParts {
  readonly document: LoadDocument;
  readonly failure: Failure | undefined;
  readonly command: string;
}

/** Writes the files of --report. */
export async function writeLoadReports(
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
export function failureOfLoad(
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
export function notesOf(result: LoadResult): readonly string[] {
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
