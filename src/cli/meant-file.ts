import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Session } from './session.ts';

/** Says of a run that failed which of its texts is the name of a file, whose content may have been meant. */
export function noteMeantFiles(session: Session): void {
  for (const { text, source, prefix } of session.bareTexts) {
    if (!isFile(text, session.context.cwd)) continue;
    session.note(
      `${source}: this is the name of a file; to read the file, put ${prefix} before it.`,
    );
  }
}

function isFile(text: string, cwd: string): boolean {
  try {
    return text !== '' && statSync(resolve(cwd, text)).isFile();
  } catch {
    return false; // nothing is there, or it is no name that a file can have
  }
}
