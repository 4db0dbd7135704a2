import { counted, escapeControls } from '../text.ts';
import { formatDuration, statusMarks } from './html/words.ts';
import { marks, type Style, table, verdict } from './human.ts';
import { instantText } from './run-line.ts';
import type { TrendDocument, TrendPeriod } from './trend-document.ts';
import { endsWell, leftOutText, periodText, trendVerdict, troubledChecks } from './trend-words.ts';

/** More periods than that are for the other formats. */
const shownPeriods = 20;

interface TrendLook {
  readonly style: Style;
  /** The columns of the terminal. */
  readonly width: number;
}

/** A trend for people. */
export function trendLines(trend: TrendDocument, { style, width }: TrendLook): readonly string[] {
  const periods = trend.periods.slice(-shownPeriods);
  const earlier = trend.periods.length - periods.length;
  const omitted = `  ${marks.note} ${counted(earlier, 'earlier period')}: --report html=FILE`;
  return [
    style.bold(escapeControls(trend.target)),
    `${counted(trend.summary.runs, 'run')} from ${instantText(trend.from)} to ${instantText(trend.to)}`,
    ...leftOutText(trend).map(escapeControls),
    '',
    style.bold('Periods'),
    ...(earlier > 0 ? [omitted] : []),
    ...periods.map((period) => periodLine(period, style)),
    ...checkTable(trend, style, width),
    ...latencyTable(trend, style, width),
    '',
    verdict(endsWell(trend), `${trendVerdict(trend)}. ${lastText(trend)}`, style),
  ];
}

function periodLine(period: TrendPeriod, style: Style): string {
  const mark = period.status === 'passed' ? style.good(marks.good) : style.bad(marks.bad);
  return `  ${mark} ${instantText(period.from)}  ${escapeControls(periodText(period))}`;
}

function checkTable(trend: TrendDocument, style: Style, width: number): readonly string[] {
  const troubled = troubledChecks(trend);
  if (troubled.length === 0) return [];
  const rows = troubled.map(({ id, failed, warned, skipped, status }) => [
    escapeControls(id),
    ...[failed, warned, skipped].map(String),
    `${statusMarks[status]} ${status}`,
  ]);
  return ['', ...table(['check', 'failed', 'warned', 'skipped', 'last'], rows, style, width)];
}

function latencyTable(trend: TrendDocument, style: Style, width: number): readonly string[] {
  const rows = Object.entries(trend.latency_ms).map(([operation, { requests, p50, p95, max }]) => [
    escapeControls(operation),
    String(requests),
    ...[p50, p95, max].map(formatDuration),
  ]);
  if (rows.length === 0) return [];
  return ['', ...table(['latency', 'requests', 'p50', 'p95', 'max'], rows, style, width)];
}

function lastText({ runs }: TrendDocument): string {
  return `The last run ${runs.at(-1)?.status === 'unreachable' ? 'got no response' : runs.at(-1)?.status}.`;
}
