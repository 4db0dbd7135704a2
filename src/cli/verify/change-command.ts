import type { ChangeDocument } from '../../reports/change-document.ts';
import { escapeControls } from '../../text.ts';
import { splitWords } from '../args/input.ts';
import { cannotRun, failureOf, usage } from '../failure.ts';
import type { Session } from '../session.ts';

/** How long the program of --on-change may take. */
const handoverMs = 60_000;

/** The last lines of its output are shown where it fails. */
const shownLines = 5;

/** Throws `usage` for a command line without a word. */
export function checkChangeCommand(line: string | undefined): void {
  if (line === undefined || splitWords(line).length > 0) return;
  throw usage('--on-change names no program.', 'For example: --on-change ./notify.sh');
}

/**
 * Runs the program of --on-change, without a shell, with the change as JSON on its standard input. Warns where it
 * fails, and returns false.
 */
export async function handOn(
  change: ChangeDocument,
  line: string,
  session: Session,
): Promise<boolean> {
  const [command = '', ...args] = splitWords(line);
  const { context, global } = session;
  const { cwd, signal } = context;
  try {
    const {
      status,
      signal: killedBy,
      output,
      timedOut,
    } = await context.runWatched({
      command,
      args,
      cwd,
      env: {},
      input: `${JSON.stringify(session.redactJson(change))}\n`,
      timeoutMs: handoverMs,
      signal,
    });
    const lines = output.trimEnd().split('\n').slice(-shownLines).filter(Boolean);
    const shown = lines.map((text) => `  ${escapeControls(text)}`);
    if (status === 0) {
      if (global.verbose && shown.length > 0) session.aside(['--on-change:', ...shown].join('\n'));
      return true;
    }
    const ended =
      status === undefined
        ? `was ended by ${killedBy ?? 'a signal'}`
        : `ended with status ${status}`;
    const how = timedOut ? 'ran for more than a minute' : ended;
    session.warn([`--on-change: ${command} ${how}. ${again}`, ...shown].join('\n'));
  } catch (error) {
    session.warn(`--on-change: ${failureOf(cannotRun(command, error)).message} ${again}`);
  }
  return false;
}

const again = 'The change is reported again after the next run.';
