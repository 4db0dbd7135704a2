import { resolve } from 'node:path';
import { usage } from './hints.ts';
import type { Session } from './session.ts';

/**
 * Writes a file that isn't there yet, readable by its owner alone; nothing is ever overwritten.
 * Throws `usage`, naming the flag that named the file.
 */
export async function writeNewFile(
  path: string,
  text: string,
  session: Session,
  flag: string,
): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  try {
    await writeFile(resolve(session.context.cwd, path), text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw cannotWrite(path, flag, error as NodeJS.ErrnoException);
  }
}

/** A `usage` error for an output file that can't be written. */
export function cannotWrite(path: string, flag: string, { code }: NodeJS.ErrnoException): Error {
  return code === 'EEXIST'
    ? usage(`${flag}: ${path} exists already.`, 'Name another file, or move that one away.')
    : usage(
        `${flag}: ${path} can't be written (${code ?? 'unknown'}).`,
        'Name a file in a folder that you may write to.',
      );
}
