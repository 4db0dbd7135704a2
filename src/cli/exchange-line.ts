import { displayWidth, marks, padEnd, type Style, wrapText } from '../reports/human.ts';
import { escapeControls, shorten } from '../text.ts';

/** What a line is made of, whoever sent it. */
export interface Told {
  /** Milliseconds of the epoch. */
  readonly at: number;
  readonly way: 'in' | 'out';
  readonly what: string;
  readonly ptnCd?: string;
  readonly status?: number;
  readonly code?: string;
  readonly durationMs: number;
  readonly outcome: 'good' | 'bad' | 'fault';
  /** The diagnosis in short. */
  readonly remarks: readonly string[];
}

/** How it is shown. */
export interface LineLook {
  readonly style: Style;
  /** In columns; infinite where nobody counts them. */
  readonly width: number;
  /** The time of day, as long in every line. */
  readonly time: (at: number) => string;
}

const outcomes = {
  good: { mark: marks.good, tone: 'good' },
  bad: { mark: marks.bad, tone: 'bad' },
  fault: { mark: '!', tone: 'warn' },
} as const;

/** Where there are fewer columns the user codes are not padded: nothing would stand below them. */
const roomy = 76;

/**
 * An exchange in one line; in a narrow terminal what doesn't fit goes on below, behind the time.
 * Text from outside is escaped, and cut where it would fill more than a line.
 */
export function exchangeLine(told: Told, { style, width, time }: LineLook): string {
  const { way, what, ptnCd = '-', status = '---', code = '-', durationMs, remarks } = told;
  const arrow = way === 'in' ? marks.arrowIn : marks.arrowOut;
  const { mark, tone } = outcomes[told.outcome];
  const clock = time(told.at);
  const indent = width < roomy ? 4 : clock.length + 2;
  const room = width - indent;
  const columns = width < roomy ? [0, 0] : [13, 24];
  const parts = [
    style.dim(clock),
    `${style[tone](mark)} ${arrow} ${padEnd(shown(what, 40), columns[0] ?? 0)}`,
    padEnd(inColumns(shown(ptnCd, 64), room), columns[1] ?? 0),
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

/** Parts beside each other as far as they fit; a reason that doesn't fit beside them has lines of its own. */
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
    else for (const words of wrapText(reason, width - indent)) begin(paint(words));
  }
  return [...lines, line.trimEnd()];
}

/** The text in at most `columns`, an ellipsis for the rest. */
function inColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let cut = '';
  for (const character of text) {
    if (displayWidth(cut + character) >= columns) break;
    cut += character;
  }
  return `${cut}…`;
}

function shown(text: string, max: number): string {
  return shorten(escapeControls(text), max);
}
