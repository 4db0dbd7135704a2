import { join, resolve } from 'node:path';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';

interface Access {
  /** `wx` refuses an existing file. */
  readonly flag?: 'w' | 'wx' | 'a';
  /** `0o600` for what its owner alone may read. */
  readonly mode?: number;
}

/** Writes an output file. Throws `usage` with `option`, which named the file, where the system refuses. */
export async function writeOutputFile(
  file: string,
  text: string,
  option: string,
  { context }: Session,
  access: Access = {},
): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  try {
    await writeFile(resolve(context.cwd, file), text, access);
  } catch (error) {
    throw cannotWrite(file, option, error as NodeJS.ErrnoException);
  }
}

/** Throws `usage` as {@link writeOutputFile} would; an existing file stays as it is. */
export function checkWritable(
  file: string,
  option: string,
  session: Session,
  mode?: number,
): Promise<void> {
  return writeOutputFile(file, '', option, session, { flag: 'a', mode });
}

export interface NewFile {
  readonly name: string;
  readonly text: string;
  /** Readable by its owner alone. */
  readonly secret?: boolean;
}

/** Writes new files into a folder, which may be new as well. Throws `usage`; existing files are not overwritten. */
export async function writeNewFiles(
  folder: string,
  files: readonly NewFile[],
  option: string,
  session: Session,
): Promise<void> {
  const { mkdir } = await import('node:fs/promises');
  try {
    await mkdir(resolve(session.context.cwd, folder), { recursive: true });
  } catch (error) {
    throw cannotWrite(folder, option, error as NodeJS.ErrnoException);
  }
  for (const { name, text, secret } of files) {
    const mode = secret ? 0o600 : 0o644;
    await writeOutputFile(join(folder, name), text, option, session, { flag: 'wx', mode });
  }
}

function cannotWrite(path: string, option: string, { code }: NodeJS.ErrnoException): Error {
  return code === 'EEXIST'
    ? usage(`${option}: ${path} already exists.`, 'Choose another path, or move that file away.')
    : usage(
        `${option}: ${path} can't be written (${code ?? 'unknown'}).`,
        'Choose a path in a writable folder.',
      );
}
