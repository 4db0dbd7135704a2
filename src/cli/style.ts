import { plainStyle, type Style } from '../reports/human.ts';
import type { Context, Output } from './context.ts';

/** Whether `output` may be coloured: a terminal, unless NO_COLOR or TERM=dumb; FORCE_COLOR overrules the terminal. */
export function mayColour(output: Output, env: Context['env'], noColor: boolean): boolean {
  if (noColor || (env.NO_COLOR ?? '') !== '') return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return output.isTerminal && env.TERM !== 'dumb';
}

/** The style of an output; chalk is loaded only where there is colour. */
export async function styleFor(
  output: Output,
  env: Context['env'],
  noColor: boolean,
): Promise<Style> {
  if (!mayColour(output, env, noColor)) return plainStyle;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  // chalk prints every argument that it gets, and `map` hands over three
  const alone =
    (paint: (text: string) => string) =>
    (text: string): string =>
      paint(text);
  return {
    bold: alone(chalk.bold),
    dim: alone(chalk.dim),
    good: alone(chalk.green),
    bad: alone(chalk.red),
    warn: alone(chalk.yellow),
    accent: alone(chalk.cyan),
  };
}

/**
 * Whether the terminal shows more than ASCII: all but the Linux console and the old console of
 * Windows do. The signs are those that the package is-unicode-supported goes by.
 */
export function showsUnicode({ env, platform }: Pick<Context, 'env' | 'platform'>): boolean {
  if (platform.os !== 'win32') return env.TERM !== 'linux';
  return (
    [env.WT_SESSION, env.TERMINUS_SUBLIME].some((sign) => (sign ?? '') !== '') ||
    env.ConEmuTask === '{cmd::Cmder}' ||
    env.TERM_PROGRAM === 'Terminus-Sublime' ||
    env.TERM_PROGRAM === 'vscode' ||
    env.TERMINAL_EMULATOR === 'JetBrains-JediTerm' ||
    /^(?:xterm-256color|alacritty|rxvt-unicode|rxvt-unicode-256color)$/.test(env.TERM ?? '')
  );
}

/** The columns that a text may fill: those of the terminal from 40 to 100, and 100 where there is none. */
export function widthOf(output: Output): number {
  return Math.min(columnsOf(output), 100);
}

/** The columns that a remark may fill: as a text on a terminal, without end where there is none. */
export function remarkColumns(output: Output): number {
  return output.isTerminal ? widthOf(output) : Number.POSITIVE_INFINITY;
}

/** The columns that lines may fill: those of the terminal, from 40 on; without end where there is none. */
export function columnsOf({ isTerminal, columns }: Pick<Output, 'isTerminal' | 'columns'>): number {
  return isTerminal ? Math.max(40, columns) : Number.POSITIVE_INFINITY;
}
