import { chmodSync, mkdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AuthcliError } from '../errors.ts';
import { errnoCode, fileError, withFileErrors } from './file-error.ts';

/** Read and written by their owner alone: what is kept here is secret. */
export const fileMode = 0o600;
const folderMode = 0o700;

const maxLinks = 40;

/** As in `node:os`, which takes a third of a millisecond to load. */
const devNull = process.platform === 'win32' ? String.raw`\\.\nul` : '/dev/null';

/** The bytes of a file, and its permission bits where they let others in. */
export interface StateFile {
  readonly bytes: Uint8Array;
  /** For example 0644; undefined where only the owner may read and write. */
  readonly looseMode?: string;
}

/**
 * Reads a file of the local state; undefined where there is none. The null device reads as an
 * empty file, so that it can stand for "no config file".
 *
 * @throws AuthcliError `config` for what is no file or can't be read
 */
export function readStateFile(file: string): StateFile | undefined {
  try {
    const stat = statSync(file);
    if (!stat.isFile() && file !== devNull) throw notAFile(file, stat.isDirectory());
    return {
      bytes: readFileSync(file),
      looseMode: stat.isFile() ? looseMode(stat.mode) : undefined,
    };
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return undefined;
    throw fileError(error, 'read', file);
  }
}

/**
 * Refuses to write where something stands that is no file: a device, for one, would be replaced.
 *
 * @throws AuthcliError `config`
 */
export function refuseUnlessFile(file: string): void {
  const stat = withFileErrors('write', file, () => statSync(file, { throwIfNoEntry: false }));
  if (stat !== undefined && !stat.isFile()) throw notAFile(file, stat.isDirectory());
}

/** Makes a folder, and those above it that are missing, for their owner alone. */
export function makeFolder(folder: string): void {
  withFileErrors('make the folder', folder, () => {
    mkdirSync(folder, { recursive: true, mode: folderMode });
  });
}

/** Makes a file private; whether that was allowed. */
export function closeFile(file: string): boolean {
  try {
    chmodSync(file, fileMode);
    return true;
  } catch {
    return false; // another's file, or a file system that is read-only
  }
}

/** Makes a folder of our own private again; undefined, or the mode it had, if others could enter. */
export function closeFolder(folder: string): string | undefined {
  const loose = withFileErrors('read', folder, () => looseMode(statSync(folder).mode));
  if (loose !== undefined) withFileErrors('close', folder, () => chmodSync(folder, folderMode));
  return loose;
}

/**
 * The path behind all links, also where the last one leads to a file that is still to be made:
 * the target is what is read, locked and replaced, and the link stays. A path that can't be
 * followed comes back as far as it could be; reading it says why.
 */
export function followLinks(path: string): string {
  let target = resolve(path);
  for (let followed = 0; followed < maxLinks; followed += 1) {
    try {
      return realpathSync(target);
    } catch (error) {
      if (errnoCode(error) !== 'ENOENT') return target;
    }
    const next = linkTarget(target);
    if (next === undefined) return target;
    target = resolve(dirname(target), next);
  }
  return target;
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // no link, or nothing at all
  }
}

/** Windows keeps no such bits: there every file would look open to all. */
function looseMode(mode: number): string | undefined {
  if ((mode & 0o077) === 0 || process.platform === 'win32') return undefined;
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function notAFile(file: string, isFolder: boolean): AuthcliError {
  const found = isFolder ? 'a folder' : 'a device or a pipe';
  const message = `Can't use ${file}: it is ${found}, not a file.`;
  return new AuthcliError('config', message, { hint: 'Name a file.', data: { file } });
}
