import { displayWidth, plainStyle, type Style } from '../../reports/human.ts';
import { escapeControls, escapeWithinLines } from '../../text.ts';
import { type Context, contextWith, type Output } from '../context.ts';

/** A terminal, unless NO_COLOR or TERM=dumb; FORCE_COLOR overrules the terminal. */
export function mayColour(output: Output, env: Context['env'], noColor: boolean): boolean {
  if (noColor || (env.NO_COLOR ?? '') !== '') return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return output.isTerminal && env.TERM !== 'dumb';
}

/** chalk is loaded only for coloured output. */
export async function styleFor(
  output: Output,
  env: Context['env'],
  noColor: boolean,
): Promise<Style> {
  if (!mayColour(output, env, noColor)) return plainStyle;
  const { Chalk } = await import('chalk');
  const { bold, dim, green, red, yellow, cyan } = new Chalk({ level: 1 });
  // chalk prints every argument that it gets, and `map` hands over three
  return {
    bold: (text) => bold(text),
    dim: (text) => dim(text),
    good: (text) => green(text),
    bad: (text) => red(text),
    warn: (text) => yellow(text),
    accent: (text) => cyan(text),
  };
}

/** From 40 to 100. */
export function widthOf(output: Output): number {
  return Math.min(columnsOf(output), 100);
}

/** Infinite without a terminal. */
export function remarkColumns(output: Output): number {
  return output.isTerminal ? widthOf(output) : Number.POSITIVE_INFINITY;
}

/** At least 40; infinite without a terminal. */
export function columnsOf({ isTerminal, columns }: Pick<Output, 'isTerminal' | 'columns'>): number {
  return isTerminal ? Math.max(40, columns) : Number.POSITIVE_INFINITY;
}

/** The text in at most `columns`, cut with an ellipsis. */
export function cutToColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let cut = '';
  for (const character of text) {
    if (displayWidth(cut + character) >= columns) break;
    cut += character;
  }
  return `${cut}…`;
}

/** What authcli itself sends beside text: the codes of {@link styleFor}, and the start of a progress line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are control sequences
const ownCodes = /(\u001b\[(?:1|2|22|3[12369])m|\r\u001b\[2K)/;

/** `text` as it goes to a terminal: of control characters only line feeds, tabs and our own codes are left. */
export function terminalText(text: string): string {
  return text
    .split(ownCodes)
    .map((part, index) => (index % 2 === 1 ? part : escapeWithinLines(part)))
    .join('');
}

/** A value that a command exists to print: as it is for files and pipes, in one escaped line on a terminal. */
export function shownValue(value: string, { stdout }: Pick<Context, 'stdout'>): string {
  return stdout.isTerminal ? escapeControls(value) : value;
}

/** A terminal gets {@link terminalText}; files and pipes get all. */
export function forTerminals(context: Context): Context {
  const { stdout, stderr } = context;
  return contextWith(context, { stdout: terminalOutput(stdout), stderr: terminalOutput(stderr) });
}

function terminalOutput(output: Output): Output {
  return {
    get isTerminal() {
      return output.isTerminal;
    },
    get columns() {
      return output.columns;
    },
    write: (text) => output.write(output.isTerminal ? terminalText(text) : text),
  };
}
