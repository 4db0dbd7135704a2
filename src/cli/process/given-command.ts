import { escapeControls } from '../../text.ts';
import { splitWords } from '../args/input.ts';
import { cannotRun } from '../failure.ts';
import type { Session } from '../session.ts';

/** How long a program may take that the user named in an option. */
const limitMs = 60_000;

/** The last lines of its output are shown. */
const shownLines = 5;

/** Whether the line of an option names a program. */
export function namesProgram(line: string): boolean {
  return (splitWords(line)[0] ?? '') !== '';
}

/**
 * Runs a program that the user named in an option, without a shell, in the current folder, for at most a minute.
 * `fault` is undefined if it succeeded; `shown` are the last lines that it printed.
 *
 * @throws AuthcliError `usage` where it can't be started
 */
export async function runGivenCommand(line: string, input: string, { context }: Session) {
  const [command = '', ...args] = splitWords(line);
  const { cwd, signal } = context;
  const traits = { cwd, input, timeoutMs: limitMs, signal, streams: 'captured' } as const;
  const end = await context.runChild({ command, args, ...traits }).catch((error: unknown) => {
    throw cannotRun(command, error);
  });
  const lines = end.output.trimEnd().split('\n').slice(-shownLines).filter(Boolean);
  const shown = lines.map((text) => `  ${escapeControls(text)}`);
  if (end.status === 0 && !end.timedOut) return { command, fault: undefined, shown };
  const ended = end.signal ? `was ended by ${end.signal}` : `ended with status ${end.status}`;
  return { command, fault: end.timedOut ? 'ran for more than a minute' : ended, shown };
}
