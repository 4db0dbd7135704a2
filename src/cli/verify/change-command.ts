import type { ChangeDocument } from '../../reports/change-document.ts';
import { failureOf, usage } from '../failure.ts';
import { namesProgram, runGivenCommand } from '../process/given-command.ts';
import type { Session } from '../session.ts';

/** Throws `usage` for a command line without a word. */
export function checkChangeCommand(line: string | undefined): void {
  if (line === undefined || namesProgram(line)) return;
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
  const { global } = session;
  const input = `${JSON.stringify(session.redactJson(change))}\n`;
  try {
    const { command, fault, shown } = await runGivenCommand(line, { input }, session);
    if (fault === undefined) {
      if (global.verbose && shown.length > 0) session.aside(['--on-change:', ...shown].join('\n'));
      return true;
    }
    session.warn([`--on-change: ${command} ${fault}. ${again}`, ...shown].join('\n'));
  } catch (error) {
    session.warn(`--on-change: ${failureOf(error).message} ${again}`);
  }
  return false;
}

const again = 'The change is reported again after the next run.';
