import { escapeControls } from '../text.ts';

/** The emphasis of words: colours on a terminal, nothing elsewhere. */
export type Style = Readonly<
  Record<'bold' | 'dim' | 'good' | 'bad' | 'warn' | 'accent', (text: string) => string>
>;

const same = (text: string): string => text;

/** The style of pipes and files. */
export const plainStyle: Style = {
  bold: same,
  dim: same,
  good: same,
  bad: same,
  warn: same,
  accent: same,
};

export const marks = { good: '✓', bad: '✗', note: '·', arrowOut: '→', arrowIn: '←' } as const;

/** Rows of `label  value`, aligned; rows without a value are left out. */
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
 * A table with a heading line. If it is wider than `width` columns, and not only by the last cell,
 * each row is a block: its first cell, and below it the others with their headings.
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

function blocks(heading: readonly string[], rows: readonly (readonly string[])[], style: Style) {
  return rows.flatMap(([name = '', ...cells], index) => [
    ...(index === 0 ? [] : ['']),
    style.bold(name),
    ...fields(
      cells.map((cell, column) => [(heading[column + 1] ?? '').toLowerCase(), cell]),
      style,
    ),
  ]);
}

/** The verdict of a command, its last line; `text` is escaped. */
export function verdict(ok: boolean, text: string, style: Style): string {
  return `${ok ? style.good(marks.good) : style.bad(marks.bad)} ${escapeControls(text)}`;
}

/** `text` with the commands in its backticks as authcli was started: `npx authcli …`. */
export function asStarted(text: string, program: string): string {
  return text.replaceAll(/`[^`]*`?/g, (code) => commandAsStarted(code, program));
}

/** The same of a command line, and of each that it pipes to or runs. */
export function commandAsStarted(line: string, program: string): string {
  return line.replaceAll(/(?<!npx |[\w./-])authcli (?=[A-Za-z-])/g, () => `${program} `);
}

/** `text` with spaces up to `width` columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Breaks `text` at spaces into lines of at most `width` columns; a longer word has its own line. */
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

/** `head` with the text beside it, wrapped and indented. */
export function hanging(head: string, text: string, width: number): string[] {
  const [first = '', ...rest] = wrapText(text, width - head.length);
  return [head + first, ...rest.map((line) => ' '.repeat(head.length) + line)];
}

/** Breaks code at spaces, and longer pieces behind brackets, commas and dots. */
export function wrapCode(code: string, width: number): string[] {
  return wrapText(code, width).flatMap((line) => {
    const pieces: string[] = [];
    let rest = line;
    while (displayWidth(rest) > width) {
      const at = /^.*[(,.]/.exec(rest.slice(0, width))?.[0].length ?? width;
      pieces.push(rest.slice(0, at));
      rest = rest.slice(at);
    }
    return [...pieces, rest];
  });
}

/** A word of a shell command line, with quotes and the commands in them; an option and its value are one. */
const shellPiece = /(?:--[\w-]+ (?!-))?(?:'[^']*'|"(?:\$\([^)]*\)|(?!\$\()[^"])*"|\\.|[^\s'"\\])+/g;

/** Escapes a shell command, and breaks it between its words; each line but the last ends in a backslash, so that it can be pasted. */
export function wrapCommand(command: string, width: number): string[] {
  const text = escapeControls(command);
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  for (const piece of text.match(shellPiece) ?? []) {
    const line = lines.at(-1);
    if (line !== undefined && displayWidth(`${line} ${piece} \\`) <= width) {
      lines[lines.length - 1] = `${line} ${piece}`;
    } else lines.push(line === undefined ? piece : `  ${piece}`);
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`));
}

/** A column that begins further right is too narrow to continue below it. */
const hangingShare = 0.6;

/** A command to copy stays in one piece. */
const command = /\b(?:authcli(?:\.js)?|curl) [a-z-]/;

/** Breaks a line into at most `width` columns; the rest continues below its column of a table. */
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

/** The same for each line of a text. */
export function fitLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => fitLine(line, width))
    .join('\n');
}

function movedIn(line: string, width: number): string {
  const text = line.trimStart();
  return line.length - text.length > width * hangingShare ? `    ${text}` : line;
}

/** Where the last column begins that is wide enough to continue below it; else behind the indentation. */
function hangingAt(line: string, width: number): number {
  // Further right, nothing fits.
  const start = line.slice(0, 4 * width);
  const gaps = [...start.matchAll(/\S {2,}(?=\S)/g)].map(({ index, 0: gap }) => index + gap.length);
  const fitting = gaps.filter((at) => displayWidth(line.slice(0, at)) <= width * hangingShare);
  return fitting.at(-1) ?? /^ */.exec(line)?.[0].length ?? 0;
}

const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** East Asian Wide and Fullwidth (UAX #11), and emoji (UTS #51). */
const wide =
  /^(?:[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/u;

/** Combining marks and format characters. */
const unseen = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** The time that a text takes to be segmented grows with the square of its length. */
const segmentedUnits = 1024;

/** The columns of `text` on a terminal: colours none, wide characters and emoji two. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const plain = text.replace(colour, '');
  const segmenter = new Intl.Segmenter();
  let width = 0;
  for (let at = 0; at < plain.length; at += segmentedUnits) {
    for (const { segment } of segmenter.segment(plain.slice(at, at + segmentedUnits)))
      if (!unseen.test(segment)) width += wide.test(segment) ? 2 : 1;
  }
  return width;
}

export function withoutColour(text: string): string {
  return text.replace(colour, '');
}
