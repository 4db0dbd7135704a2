import fs from 'node:fs';
import { errnoCode } from './file-error.ts';

/** A lock that nobody has refreshed for so long belonged to a process that died. */
const staleMs = 4_000;

/** Who holds a lock, as far as its folder tells. */
export interface Holder {
  /** Tells one folder from another of the same name; an inode's number alone is used again. */
  readonly identity: string;
  /** Not refreshed for too long. A time in the future counts as well: a clock was set back. */
  readonly isDead: boolean;
}

/** Who holds the lock of that folder; undefined if it is free. */
export function holderOf(folder: string): Holder | undefined {
  const stat = fs.statSync(folder, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const isDead = Math.abs(Date.now() - Number(stat.mtimeMs)) > staleMs;
  return { identity: `${stat.ino}:${stat.birthtimeNs}`, isDead };
}

type Callback = (error: NodeJS.ErrnoException | null) => void;

/**
 * The file operations that the library uses, made to remove the lock's folder only while it is
 * the one that they made: a process that slept until its lock was taken over leaves it alone.
 */
export function ownFolder(folder: string) {
  let made: string | undefined;
  const isOurs = () => made !== undefined && holderOf(folder)?.identity === made;
  const mkdir = (path: string, callback: Callback) =>
    fs.mkdir(path, (error) => {
      if (error === null) made = holderOf(path)?.identity;
      callback(error);
    });
  const rmdir = (path: string, callback: Callback) =>
    isOurs() ? fs.rmdir(path, callback) : callback(null);
  const rmdirSync = (path: string) => {
    if (isOurs()) fs.rmdirSync(path);
  };
  return { isOurs, fs: { stat: fs.stat, utimes: fs.utimes, mkdir, rmdir, rmdirSync } };
}

/**
 * Removes the lock of a process that died. A second folder sees to it that only one process at a
 * time looks and removes; should that one die in between, its folder counts as dead in turn.
 */
export function removeIfDead(folder: string): boolean {
  if (!holderOf(folder)?.isDead) return false;
  const guard = `${folder}.takeover`;
  try {
    fs.mkdirSync(guard);
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
    if (holderOf(guard)?.isDead) fs.rmSync(guard, { recursive: true, force: true });
    return false;
  }
  try {
    if (!holderOf(folder)?.isDead) return false;
    fs.rmdirSync(folder);
    return true;
  } finally {
    fs.rmSync(guard, { recursive: true, force: true });
  }
}
