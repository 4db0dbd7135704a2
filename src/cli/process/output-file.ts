import { constants, lstatSync, rmSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolders } from '../../state/files.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';

interface Access {
  /** `wx` refuses an existing file. */
  readonly flag?: 'w' | 'wx' | 'a';
  /** `0o600` for what its owner alone may read. */
  readonly mode?: number;
}

/**
 * Writes an output file; under --show-secrets, or with a mode, it is made private before anything is in it. Throws
 * `usage` with `option`, which named the file, where the system refuses.
 */
export async function writeOutputFile(
  file: string,
  text: string | Uint8Array,
  option: string,
  session: Session,
  { flag = 'w', mode = session.showsSecrets ? 0o600 : undefined }: Access = {},
): Promise<void> {
  const { context } = session;
  try {
    const handle = await openOutput(file, flag, mode, session);
    try {
      const found = await handle.stat();
      const isLoose = mode !== undefined && found.isFile() && (found.mode & 0o777 & ~mode) !== 0;
      if (isLoose && context.platform.os !== 'win32') await handle.chmod(mode);
      await writeAll(handle, text, session);
    } finally {
      await handle.close();
    }
  } catch (error) {
    context.signal.throwIfAborted();
    throw cannotWrite(file, option, error as NodeJS.ErrnoException);
  }
}

const accessFlags = {
  w: constants.O_TRUNC,
  wx: constants.O_TRUNC | constants.O_EXCL,
  a: constants.O_APPEND,
} as const;

/**
 * Opens a file to write. A FIFO waits for its reader, and neither that nor a full pipe ever blocks a thread, which
 * no signal would end: rejects where the run is stopped meanwhile.
 */
export async function openOutput(
  file: string,
  flag: keyof typeof accessFlags,
  mode: number | undefined,
  { context: { cwd, signal } }: Session,
): Promise<FileHandle> {
  const { open } = await import('node:fs/promises');
  const path = resolve(cwd, file);
  const { O_WRONLY, O_CREAT, O_NONBLOCK = 0 } = constants; // Windows lacks the last
  const flags = O_WRONLY | O_CREAT | O_NONBLOCK | accessFlags[flag];
  return repeatedWhile(isFifo(path) ? 'ENXIO' : undefined, signal, () => open(path, flags, mode));
}

/** Writes to what {@link openOutput} opened. */
export async function writeAll(
  handle: FileHandle,
  text: string | Uint8Array,
  { context: { signal } }: Session,
): Promise<void> {
  let left: Uint8Array = Buffer.from(text);
  while (left.length > 0) {
    const { bytesWritten } = await repeatedWhile('EAGAIN', signal, () => handle.write(left));
    left = left.subarray(bytesWritten);
  }
}

async function repeatedWhile<T>(
  code: string | undefined,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== code || signal.aborted) throw error;
      await delay(20, undefined, { signal }).catch(() => {});
    }
  }
}

function isFifo(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/** Throws `usage` as {@link writeOutputFile} would; an existing file stays as it is, and no new one stays. A FIFO is left alone: its reader would see its end. */
export async function checkWritable(file: string, option: string, session: Session, mode?: number) {
  const path = resolve(session.context.cwd, file);
  if (isFifo(path)) return;
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

/** Writes new files into the folder of --out, which may be new as well. Throws `usage`; existing files are not overwritten. */
export async function writeNewFiles(
  folder: string,
  files: readonly NewFile[],
  session: Session,
): Promise<void> {
  makeOutputFolder(folder, '--out', session);
  for (const { name, text, secret } of files) {
    const mode = secret ? 0o600 : 0o644;
    await writeOutputFile(join(folder, name), text, '--out', session, { flag: 'wx', mode });
  }
}

/** Makes a folder and those above it. Throws `usage` with `option` where the system refuses. */
export function makeOutputFolder(folder: string, option: string, session: Session): void {
  try {
    makeFolders(resolve(session.context.cwd, folder));
  } catch (error) {
    throw cannotWrite(folder, option, error as NodeJS.ErrnoException);
  }
}

/** The `usage` error for a path that `option` named and that the system doesn't let us write. */
export function cannotWrite(path: string, option: string, { code }: NodeJS.ErrnoException): Error {
  return code === 'EEXIST'
    ? usage(`${option}: ${path} already exists.`, 'Choose another path, or move that file away.')
    : usage(
        `${option}: ${path} can't be written (${code ?? 'unknown'}).`,
        'Choose a path in a writable folder.',
      );
}
