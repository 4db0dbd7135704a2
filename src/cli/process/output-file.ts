import { lstatSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolders } from '../../state/files.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';

interface Access {
  /** `wx` refuses an existing file. */
  readonly flag?: 'w' | 'wx' | 'a';
  /** `0o600` for what its owner alone may read. */
  readonly mode?: number;
  /** What to do where the file exists. */
  readonly existing?: string;
}

/**
 * Writes an output file; under --show-secrets, or with a mode, it is made private before anything is in it. Throws
 * `usage` with `option`, which named the file, where the system refuses.
 */
export async function writeOutputFile(
  file: string,
  text: string | Uint8Array,
  option: string,
  { context, showsSecrets }: Session,
  { flag = 'w', mode = showsSecrets ? 0o600 : undefined, existing }: Access = {},
): Promise<void> {
  const { open } = await import('node:fs/promises');
  try {
    const handle = await open(resolve(context.cwd, file), flag, mode);
    try {
      const found = await handle.stat();
      const isLoose = mode !== undefined && found.isFile() && (found.mode & 0o777 & ~mode) !== 0;
      if (isLoose && context.platform.os !== 'win32') await handle.chmod(mode);
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw cannotWrite(file, option, error as NodeJS.ErrnoException, existing);
  }
}

/** Throws `usage` as {@link writeOutputFile} would; an existing file stays as it is, and no new one stays. */
export async function checkWritable(
  file: string,
  option: string,
  session: Session,
  mode?: number,
): Promise<void> {
  const path = resolve(session.context.cwd, file);
  const isNew = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  await writeOutputFile(file, '', option, session, { flag: 'a', mode });
  if (isNew) rmSync(path);
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
  try {
    makeFolders(resolve(session.context.cwd, folder));
  } catch (error) {
    throw cannotWrite(folder, option, error as NodeJS.ErrnoException);
  }
  for (const { name, text, secret } of files) {
    const mode = secret ? 0o600 : 0o644;
    await writeOutputFile(join(folder, name), text, option, session, { flag: 'wx', mode });
  }
}

/** The `usage` error for a path that `option` named and that the system doesn't let us write. */
export function cannotWrite(
  path: string,
  option: string,
  { code }: NodeJS.ErrnoException,
  existing = 'Choose another path, or move that file away.',
): Error {
  return code === 'EEXIST'
    ? usage(`${option}: ${path} already exists.`, existing)
    : usage(
        `${option}: ${path} can't be written (${code ?? 'unknown'}).`,
        'Choose a path in a writable folder.',
      );
}
