import { displayWidth, marks, padEnd, type Style } from '../../reports/human.ts';
import { escapeControls, shorten } from '../../text.ts';
import { cutToColumns } from './style.ts';

/** An exchange as one line shows it. */
export interface ListedExchange {
  readonly at: number;
  readonly way: 'in' | 'out';
  readonly what: string;
  readonly ptnCd: string | null | undefined;
  readonly status: number | null | undefined;
  readonly code: string | null | undefined;
  readonly durationMs: number;
  readonly outcome: 'good' | 'bad' | 'fault' | 'none';
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
  none: { mark: marks.bad, tone: 'bad' },
} as const;

/** In narrower terminals the columns are not aligned. */
const roomy = 76;

/**
 * An exchange in one line; what doesn't fit beside the rest is below, indented, and not wrapped yet.
 * Text from outside is escaped, and cut where it would fill more than a line.
 */
export function exchangeLine(exchange: ListedExchange, { style, width, time }: LineLook): string {
  const { way, what, ptnCd, status, code, durationMs, remarks } = exchange;
  const shown = (text: string, max: number) => shorten(escapeControls(text), max);
  const arrow = way === 'in' ? marks.arrowIn : marks.arrowOut;
  const { mark, tone } = outcomes[exchange.outcome];
  const clock = time(exchange.at);
  const isNarrow = width < roomy;
  const indent = isNarrow ? 4 : clock.length + 2;
  const parts = [
    `${style[tone](mark)} ${arrow} ${padEnd(shown(what, 40), isNarrow ? 0 : 13)}`,
    padEnd(cutToColumns(shown(ptnCd ?? '-', 64), width - indent), isNarrow ? 0 : 24),
    String(status ?? '---'),
    shown(code ?? '-', 20),
    `${durationMs} ms`,
    ...remarks.map((remark) => style[tone](shown(remark, 200))),
  ];
  const lines: string[] = [];
  let line = style.dim(clock);
  for (const part of parts) {
    if (displayWidth(`${line}  ${part}`.trimEnd()) <= width) line += `  ${part}`;
    else {
      lines.push(line.trimEnd());
      line = ' '.repeat(indent) + part;
    }
  }
  return [...lines, line.trimEnd()].join('\n');
}
