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

/** A table with a heading line; each column as wide as its widest cell. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): string[] {
  const widths = heading.map((title, column) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => padEnd(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [style.dim(line(heading)), ...rows.map(line)];
}

/** The verdict of a command, its last line. */
export function verdict(ok: boolean, text: string, style: Style): string {
  return ok ? `${style.good(marks.good)} ${text}` : `${style.bad(marks.bad)} ${text}`;
}

/** `text` with spaces up to `width` columns. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** The columns that `text` takes on a terminal: colours none, East Asian wide characters (UAX #11) and pictographs two. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length; // Intl takes 15 ms to be ready
  const segments = new Intl.Segmenter().segment(text.replace(colour, ''));
  let width = 0;
  for (const { segment } of segments) width += wide.test(segment) ? 2 : 1;
  return width;
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
