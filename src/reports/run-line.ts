import { counted, escapeControls } from '../text.ts';
import { marks, type Style } from './human.ts';
import { type Change, changeSummary } from './verify-diff.ts';
import type { VerifyDocument } from './verify-document.ts';
import { countsOf, latenciesOf, seconds, trafficOf } from './verify-words.ts';

export const monitorSchema = 'authcli/monitor/1';

/** How a run ended: `error` means that it could not be made. */
export type RunStatus = 'passed' | 'failed' | 'unreachable' | 'interrupted' | 'error';

/** One of several runs, as a line of JSON, which schemas/monitor-1.json describes. */
export function toRunEvent(
  run: number,
  status: RunStatus,
  document: VerifyDocument,
  change: Change | undefined,
) {
  const { started_at: at, duration_ms, requests, requirements, summary } = document;
  const { unreachable, certificate } = document;
  return {
    event: 'run',
    run,
    at,
    status,
    duration_ms,
    requests,
    requirements,
    summary,
    latency_ms: latenciesOf(document),
    ...(unreachable && { unreachable: unreachable.code }),
    ...(certificate && { certificate }),
    change: change ?? null,
  };
}

/** The run in one line: "2027-01-31T06:00:00Z ✓ 16 passed; 6 requests in 0.05 s, slowest 12 ms". */
export function runLine(
  status: RunStatus,
  document: VerifyDocument,
  change: Change | undefined,
  style: Style,
): string {
  const { started_at: at, duration_ms: duration, unreachable } = document;
  const mark = status === 'passed' ? style.good(marks.good) : style.bad(marks.bad);
  const found =
    unreachable === undefined ? countsOf(document) : `unreachable (${unreachable.code})`;
  const slowest = Math.max(-1, ...Object.values(latenciesOf(document)).map(({ max }) => max));
  const traffic = `${trafficOf(document)} in ${seconds(duration)} s`;
  const details = slowest < 0 ? traffic : `${traffic}, slowest ${Math.round(slowest)} ms`;
  const what = change === undefined ? '' : `; ${escapeControls(changeSummary(change))}`;
  const cut = status === 'interrupted' ? 'interrupted: ' : '';
  return `${instantText(at)} ${mark} ${cut}${found}; ${details}${style.bold(what)}`;
}

/** The line of a run that could not be made. */
export function errorLine(at: string, message: string, style: Style): string {
  return `${instantText(at)} ${style.bad(marks.bad)} no run: ${escapeControls(message)}`;
}

/** "2 runs left out, …" */
export function skippedText(runs: number): string {
  return `${counted(runs, 'run')} left out: the one before took longer than the interval, or the machine slept.`;
}

/** To the second. */
export function instantText(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z');
}
