import { escapeControls } from '../../text.ts';
import { splitWords } from '../args/input.ts';
import { cannotRun } from '../failure.ts';
import type { Session } from '../session.ts';
import type { Child } from './children.ts';

/** How long a program may take that the user named in an option. */
const limitMs = 60_000;

/** The last lines of its output are shown. */
const shownLines = 5;

/** How a program ended. */
export interface CommandEnd {
  readonly command: string;
  /** "ended with status 1"; undefined if it succeeded. */
  readonly fault: string | undefined;
  /** The last lines that it printed, indented. */
  readonly shown: readonly string[];
}

/** Whether the line of an option names a program. */
export function namesProgram(line: string): boolean {
  return (splitWords(line)[0] ?? '') !== '';
}

/**
 * Runs a program that the user named in an option, without a shell, in the current folder, for at most a minute.
 *
 * @throws AuthcliError `usage` where it can't be started
 */
export async function runGivenCommand(
  line: string,
  traits: Pick<Child, 'input' | 'leavesProcesses'>,
  { context }: Session,
): Promise<CommandEnd> {
  const [command = '', ...args] = splitWords(line);
  const { cwd, signal } = context;
  const program = { command, args, cwd, timeoutMs: limitMs, signal, ...traits } as const;
  const end = await context
    .runChild({ ...program, streams: 'captured' })
    .catch((error: unknown) => {
      throw cannotRun(command, error);
    });
  const { status, signal: killedBy, output, timedOut } = end;
  const lines = output.trimEnd().split('\n').slice(-shownLines).filter(Boolean);
  const shown = lines.map((text) => `  ${escapeControls(text)}`);
  if (status === 0 && !timedOut) return { command, fault: undefined, shown };
  const ended = killedBy ? `was ended by ${killedBy}` : `ended with status ${status}`;
  return { command, fault: timedOut ? 'ran for more than a minute' : ended, shown };
}
