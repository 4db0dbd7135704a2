import { displayWidth, withoutColour } from './display-width.ts';

export { displayWidth } from './display-width.ts';

/** How words are set off. On a terminal these colour; elsewhere each gives its text back. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly accent: (text: string) => string;
}

const same = (text: string): string => text;

/** The style of pipes and files: no control character at all. */
export const plainStyle: Style = {
  bold: same,
  dim: same,
  good: same,
  bad: same,
  warn: same,
  accent: same,
};

export const marks = { good: '✓', bad: '✗', note: '·', arrowOut: '→', arrowIn: '←' } as const;

/** Rows of `label  value`, the values one below the other; rows without a value are left out. */
export function fields(
  rows: readonly (readonly [label: string, value: string | undefined])[],
  style: Style,
  indent = '  ',
): string[] {
  const shown = rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
  const width = Math.max(0, ...shown.map(([label]) => displayWidth(label)));
  return shown.map(([label, value]) => `${indent}${style.dim(padEnd(label, width))}  ${value}`);
}

/**
 * A table with a heading line; each column as wide as its widest cell. Where that is more than
 * `width` columns, and not only for the last cell, each row is a block: its first cell, and below it
 * the others with their headings.
 */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  width = Number.POSITIVE_INFINITY,
): string[] {
  const widths = heading.map((title, column) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  const all = widths.reduce((sum, column) => sum + column + 2, -2);
  const last = widths.at(-1) ?? 0;
  if (all > width && all - last > width * hangingShare) return blocks(heading, rows, style);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => padEnd(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [style.dim(line(heading)), ...rows.map(line)];
}

function blocks(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): string[] {
  return rows.flatMap(([name = '', ...cells], index) => [
    ...(index === 0 ? [] : ['']),
    style.bold(name),
    ...fields(
      cells.map((cell, column) => [(heading[column + 1] ?? '').toLowerCase(), cell]),
      style,
    ),
  ]);
}

/** The verdict of a command, its last line. */
export function verdict(ok: boolean, text: string, style: Style): string {
  return ok ? `${style.good(marks.good)} ${text}` : `${style.bad(marks.bad)} ${text}`;
}

/** `text` with spaces up to `width` columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Breaks `text` at spaces into lines of at most `width` columns; a longer word keeps a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A column that begins further right leaves no room to go on below it. */
const hangingShare = 0.6;

/** A command that is there to be copied has to stay in one piece. */
const command = /\b(?:authcli|curl) [a-z-]/;

/**
 * A line of output in lines of at most `width` columns: what doesn't fit goes on below its own column
 * of a table, a long word further left. A longer one, and a line with a command to copy, stay in one piece.
 */
export function fitLine(whole: string, width: number): readonly string[] {
  if (displayWidth(whole) <= width || command.test(withoutColour(whole))) return [whole];
  const line = movedIn(whole, width);
  const head = line.slice(0, hangingAt(line, width));
  const indent = displayWidth(head);
  const [first = '', ...rest] = wrapText(line.slice(head.length), width - indent);
  const below = (part: string): string =>
    ' '.repeat(Math.max(0, Math.min(indent, width - displayWidth(part)))) + part;
  return [head + first, ...rest.map(below)];
}

/** A line that begins too far right to go on there begins further left instead. */
function movedIn(line: string, width: number): string {
  const text = line.trimStart();
  return line.length - text.length > width * hangingShare ? `    ${text}` : line;
}

/** Where the last column begins that leaves enough room to go on below it; else behind the indentation. */
function hangingAt(line: string, width: number): number {
  const gaps = [...line.matchAll(/\S {2,}(?=\S)/g)].map(({ index, 0: gap }) => index + gap.length);
  const fitting = gaps.filter((at) => displayWidth(line.slice(0, at)) <= width * hangingShare);
  return fitting.at(-1) ?? /^ */.exec(line)?.[0].length ?? 0;
}
