import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { devNull } from 'node:os';
import { dirname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { encodeHex, type RandomBytes } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { byteCount } from '../text.ts';

/** For the owner alone: the content is secret. */
export const fileMode = 0o600;
export const folderMode = 0o700;

const permissions = 'Check the owner and the mode of the file and of its folder.';
const space = 'Free some space, or use another disk.';

const reasons: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  EACCES: ['permission denied', permissions],
  EPERM: ['permission denied', permissions],
  EROFS: ['the file system is read-only', 'Use a folder that can be written.'],
  ENOSPC: ['the disk is full', space],
  EDQUOT: ['the disk quota is used up', space],
  EISDIR: ['it is a folder, not a file', 'Name a file.'],
  ENOTDIR: ['a file is where a folder is needed', 'Name a file inside a folder.'],
  EEXIST: ['a file is where a folder is needed', 'Move that file away.'],
  ENOENT: ['its folder is gone', 'Try again, or name another place.'],
  ELOOP: ['its links form a circle', 'Fix the links, or name another place.'],
  ENAMETOOLONG: ['the name is too long', 'Choose a shorter name.'],
  EMFILE: ['too many files are open', 'Run fewer processes at a time.'],
  ENFILE: ['too many files are open', 'Run fewer processes at a time.'],
};

/** An AuthcliError `config` for an error of the platform; any other error unchanged. */
export function fileError(error: unknown, action: string, file: string): unknown {
  const code = errnoCode(error);
  if (code === undefined) return error;
  const [reason, hint] = reasons[code] ?? [`the system reports ${code}`, ''];
  const message = `Can't ${action} ${file}: ${reason}.`;
  return new AuthcliError('config', message, { hint, cause: error, data: { file } });
}

/** Does `work`, and throws errors as {@link fileError} converts them. */
export function withFileErrors<T>(action: string, file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(error, action, file);
  }
}

/** The platform's code of an error, such as ENOENT; undefined for any other error. */
export function errnoCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The null device has no mode. */
export interface StateFile {
  readonly bytes: Uint8Array;
  readonly mode?: number;
  readonly owner?: number;
}

/** authcli writes no file of settings, of one user or of key pairs that is nearly as large. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Reads a file; undefined if it doesn't exist. The null device, with which no config file is used,
 * reads as an empty file.
 *
 * @throws AuthcliError `config` for what is not a file, is larger than `limit` bytes or can't be read
 */
export function readStateFile(file: string, limit = mostBytes): StateFile | undefined {
  try {
    const stat = statSync(file);
    if (!stat.isFile() && file !== devNull) throw notAFile(file, stat.isDirectory());
    if (stat.size > limit) throw tooLarge(file, stat.size, limit);
    const bytes = readFileSync(file);
    return stat.isFile() ? { bytes, mode: stat.mode, owner: stat.uid } : { bytes };
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read', file);
  }
}

function tooLarge(file: string, bytes: number, limit: number): AuthcliError {
  const message = `${file} has ${byteCount(bytes)}; authcli reads at most ${byteCount(limit)} of such a file.`;
  const hint = 'Check whether it is the right file, or move it away to start anew.';
  return new AuthcliError('config', message, { hint, data: { file } });
}

/** Makes a folder and those above it for the owner alone. */
export function makeFolder(folder: string): void {
  withFileErrors('make the folder', folder, () => makeFolders(folder, folderMode));
}

/**
 * Makes a folder and those above it, unless they exist; throws the platform's error. Node's `recursive` never ends
 * below /proc, where nothing can be made.
 */
export function makeFolders(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const above = dirname(folder);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(above)) throw error;
    makeFolders(above, mode);
    makeFolders(folder, mode);
  }
}

/** The path behind all links: what they lead to is read, locked and replaced, and they stay. Reading reports why they can't be followed. */
export function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

export function notAFile(file: string, isFolder: boolean): AuthcliError {
  const found = isFolder ? 'a folder' : 'a device or a pipe';
  const message = `Can't use ${file}: it is ${found}, not a file.`;
  return new AuthcliError('config', message, { hint: 'Name a file.', data: { file } });
}

export interface NewFile {
  readonly file: string;
  readonly text: string;
}

/** The number of files written between two turns of the event loop, in which the lock is refreshed. */
const portion = 256;

/**
 * Replaces files: each is written beside its place, and none is put in place before all are written,
 * so that a full disk changes nothing and no reader gets half a file. `confirm` throws if the lock was
 * lost, and the files must not be put in place.
 *
 * @throws AuthcliError `config`
 */
export async function replaceFiles(
  files: readonly NewFile[],
  randomBytes: RandomBytes,
  confirm: () => void,
): Promise<void> {
  const staged = files.map((each) => {
    return { ...each, temporary: `${each.file}.tmp-${encodeHex(randomBytes(6))}` };
  });
  // To sync each of thousands would take minutes; an import can be repeated.
  const options = { flag: 'wx', mode: fileMode, flush: files.length <= portion } as const;
  try {
    for (const [index, { file, text, temporary }] of staged.entries()) {
      withFileErrors('write', file, () => writeFileSync(temporary, text, options));
      if (index % portion === portion - 1) await setImmediate();
    }
    confirm();
    for (const { file, temporary } of staged)
      withFileErrors('write', file, () => renameSync(temporary, file));
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    throw error;
  }
}
