import { callLines } from '../diagnosis/diagnosis.ts';
import { escapeControls } from '../text.ts';
import { fields, marks, type Style, table, verdict } from './human.ts';
import type { LoadDocument } from './load-document.ts';

export interface LoadLinesOptions {
  readonly style: Style;
  /** In columns. */
  readonly width: number;
  /** The code whose fix is printed below the report. */
  readonly fixedBelow?: string | undefined;
}

/** A load for people. */
export function loadLines(
  document: LoadDocument,
  { style, width, fixedBelow }: LoadLinesOptions,
): readonly string[] {
  const { url, pace } = document;
  return [
    `Load${url === '' ? '' : ` of ${style.bold(escapeControls(url))}`}: ${pace}`,
    '',
    ...fields(
      [
        ['sign-ups', countText(document)],
        ['per second', perSecond(document)],
      ],
      style,
    ),
    ...latencies(document, style, width).map((line) => (line === '' ? '' : `  ${line}`)),
    ...errorLines(document, style, fixedBelow),
    ...thresholdLines(document, style),
    ...document.notes.flatMap((note) => ['', style.warn(escapeControls(note))]),
    '',
    verdict(isGood(document), loadVerdict(document), style),
  ];
}

function countText({ attempted, succeeded, failed, duration_ms: ms }: LoadDocument): string {
  const parts = failed === 0 ? '' : ` (${succeeded} succeeded, ${failed} failed)`;
  return `${attempted} in ${Math.round(ms / 100) / 10} s${parts}`;
}

const columns = ['p50', 'p90', 'p99', 'p999', 'max'] as const;

const headings = ['p50', 'p90', 'p99', 'p99.9', 'max'];

function latencies(document: LoadDocument, style: Style, width: number): string[] {
  if (document.latency_ms.max === 0) return [];
  const row = (name: string, latency: LoadDocument['latency_ms']): string[] => [
    name,
    ...columns.map((column) => `${milliseconds(latency[column])} ms`),
  ];
  const rows = [
    row('whole sign-up', document.latency_ms),
    ...document.steps.map((step) => row(step.name, step.latency_ms)),
  ];
  return ['', ...table(['latency', ...headings], rows, style, width - 2)];
}

/** Whole numbers from a hundred on, else with decimals. */
export function milliseconds(ms: number): string {
  return ms >= 100 ? String(Math.round(ms)) : ms.toFixed(ms >= 10 ? 1 : 2);
}

function errorLines(
  { errors, diagnoses }: LoadDocument,
  style: Style,
  fixedBelow: string | undefined,
): readonly string[] {
  return Object.entries(errors).flatMap(([code, count]) => {
    const found = diagnoses.find((diagnosis) => diagnosis.code === code);
    const message = escapeControls(found?.message ?? '');
    const title = `  ${style.bad(marks.bad)} ${count} × ${style.bold(code)}: ${message}`;
    if (code === fixedBelow) return ['', title];
    const calls = callLines(found?.calls ?? {}).map((line) => `  ${line}`);
    const hint = [found?.hint ?? '', ...calls].filter((line) => line !== '');
    return ['', title, ...hint.map((line) => `    ${escapeControls(line)}`)];
  });
}

function thresholdLines({ thresholds }: LoadDocument, style: Style): readonly string[] {
  if (thresholds.length === 0) return [];
  return [
    '',
    ...thresholds.map(
      ({ threshold, kept, observed }) => `  ${verdict(kept, `${threshold}: ${observed}`, style)}`,
    ),
  ];
}

/** Whether sign-ups were attempted, all thresholds met, and no more failed than allowed. */
export function isGood({ attempted, failed, thresholds, interrupted }: LoadDocument): boolean {
  const isTolerated = thresholds.some(({ threshold }) => threshold.startsWith('errors'));
  const isMet = thresholds.every(({ kept }) => kept);
  return attempted > 0 && isMet && !interrupted && (failed === 0 || isTolerated);
}

export function loadVerdict(document: LoadDocument): string {
  const { succeeded, attempted, thresholds, interrupted } = document;
  const missed = thresholds.filter(({ kept }) => !kept).length;
  const checked = succeeded > 0 ? ', each key unwrapped and checked' : '';
  const count = `${succeeded} of ${attempted} sign-ups succeeded${checked}`;
  if (interrupted) return `The run was interrupted: ${count}.`;
  if (missed > 0) return `${count}; ${missed} of ${thresholds.length} thresholds missed.`;
  return `${count}.`;
}

/** Whole numbers from a hundred on, else three significant digits. */
export function perSecond({ signups_per_second: rate }: LoadDocument): string {
  return rate >= 100 ? String(Math.round(rate)) : String(Number(rate.toPrecision(3)));
}
