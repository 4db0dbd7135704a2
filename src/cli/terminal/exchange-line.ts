import { displayWidth, marks, padEnd, type Style } from '../../reports/human.ts';
import { escapeControls, shorten } from '../../text.ts';
import { cutToColumns } from './style.ts';

/** An exchange as one line shows it. */
export interface ListedExchange {
  readonly at: number;
  readonly way: 'in' | 'out';
  readonly what: string;
  readonly ptnCd?: string;
  readonly status?: number;
  readonly code?: string;
  readonly durationMs: number;
  readonly outcome: 'good' | 'bad' | 'fault';
  readonly remarks: readonly string[];
}

/** How the line is printed. */
export interface LineLook {
  readonly style: Style;
  /** In columns; infinite without a terminal. */
  readonly width: number;
  /** Of a constant length. */
  readonly time: (at: number) => string;
}

const outcomes = {
  good: { mark: marks.good, tone: 'good' },
  bad: { mark: marks.bad, tone: 'bad' },
  fault: { mark: '!', tone: 'warn' },
} as const;

/** In narrower terminals the columns are not aligned. */
const roomy = 76;

/**
 * An exchange in one line; what doesn't fit beside the rest is below, indented, and not wrapped yet.
 * Text from outside is escaped, and cut where it would fill more than a line.
 */
export function exchangeLine(exchange: ListedExchange, { style, width, time }: LineLook): string {
  const { way, what, ptnCd = '-', status = '---', code = '-', durationMs, remarks } = exchange;
  const arrow = way === 'in' ? marks.arrowIn : marks.arrowOut;
  const { mark, tone } = outcomes[exchange.outcome];
  const clock = time(exchange.at);
  const indent = width < roomy ? 4 : clock.length + 2;
  const room = width - indent;
  const columns = width < roomy ? [0, 0] : [13, 24];
  const parts = [
    style.dim(clock),
    `${style[tone](mark)} ${arrow} ${padEnd(shown(what, 40), columns[0] ?? 0)}`,
    padEnd(cutToColumns(shown(ptnCd, 64), room), columns[1] ?? 0),
    String(status),
    shown(code, 20),
    `${durationMs} ms`,
  ];
  const reasons = remarks.map((remark) => shown(remark, 200));
  return flow(parts, reasons, { width, indent, paint: style[tone] }).join('\n');
}

interface Flow {
  readonly width: number;
  readonly indent: number;
  readonly paint: (text: string) => string;
}

/** A reason that doesn't fit beside the parts gets lines of its own. */
function flow(
  parts: readonly string[],
  reasons: readonly string[],
  { width, indent, paint }: Flow,
): string[] {
  const lines: string[] = [];
  let line = '';
  const begin = (text: string): void => {
    lines.push(line.trimEnd());
    line = ' '.repeat(indent) + text;
  };
  const fits = (text: string): boolean => displayWidth(`${line}  ${text}`.trimEnd()) <= width;
  for (const part of parts) {
    if (line === '') line = part;
    else if (fits(part)) line += `  ${part}`;
    else begin(part);
  }
  for (const reason of reasons) {
    if (fits(reason)) line += `  ${paint(reason)}`;
    else begin(paint(reason));
  }
  return [...lines, line.trimEnd()];
}

function shown(text: string, max: number): string {
  return shorten(escapeControls(text), max);
}
