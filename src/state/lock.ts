import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lock as lockFile } from 'proper-lockfile';
import type { RandomBytes } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { errnoCode, fileError } from './files.ts';

const refreshMs = 1_000;
/** A lock that was not refreshed for this long belonged to a process that died. */
const staleMs = 4_000;
/** How long one process may hold the lock while others wait. */
const patienceMs = 60_000;
/** Between two attempts. */
const maxPauseMs = 150;

/** The lock while it is held. */
export interface Lease {
  /** Whether the lock was taken over from a process that died, maybe while it was writing. */
  readonly tookOver: boolean;
  /** @throws AuthcliError `config` if the lock was lost; called right before each write. */
  confirm(): void;
}

/**
 * Does `work` under the lock of `file`, a folder `FILE.lock` that proper-lockfile makes, refreshes
 * and removes. Dead locks are taken over here: with the package, two processes that do so at the same
 * time, or one that was suspended, remove each other's lock.
 *
 * @throws AuthcliError `config` if the lock can't be made, or one process holds it for a minute
 */
export async function withLock<T>(
  file: string,
  randomBytes: RandomBytes,
  work: (lease: Lease) => T | Promise<T>,
): Promise<T> {
  const { lease, release } = await acquire(file, randomBytes).catch((error: unknown) => {
    throw fileError(error, 'lock', file);
  });
  try {
    return await work(lease);
  } finally {
    // A lock that couldn't be removed counts as dead a few seconds later.
    await release().catch(() => {});
  }
}

async function acquire(file: string, randomBytes: RandomBytes) {
  const folder = `${file}.lock`;
  let tookOver = false;
  let watched = '';
  let since = 0;
  for (let attempts = 1; ; attempts += 1) {
    const holder = holderOf(folder);
    if (holder?.isDead) {
      if (removeIfDead(folder)) tookOver = true;
    } else if (holder === undefined) {
      const held = await tryAcquire(file, folder, tookOver);
      if (held !== undefined) return held;
    } else {
      if (holder.identity !== watched) since = performance.now();
      watched = holder.identity;
      if (performance.now() - since > patienceMs) throw stillHeld(file, folder);
    }
    // At random times, so that waiting processes don't all return at once.
    const [random = 0] = randomBytes(1);
    await delay((random / 256) * Math.min(maxPauseMs, 10 * attempts));
  }
}

/** Takes the lock; undefined if another process was faster. */
async function tryAcquire(file: string, folder: string, tookOver: boolean) {
  const own = ownFolder(folder);
  const confirm = () => {
    if (!own.isOurs()) throw lost(file);
  };
  try {
    const release = await lockFile(file, {
      realpath: false,
      lockfilePath: folder,
      fs: own.fs,
      update: refreshMs,
      stale: Number.MAX_SAFE_INTEGER, // the package never takes over; see removeIfDead
      onCompromised: () => {}, // confirm() finds out by itself, at the moment that matters
    });
    return { lease: { tookOver, confirm }, release };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOCKED') return undefined;
    throw error;
  }
}

interface Holder {
  /** Distinguishes one folder from another of the same name; an inode's number alone is used again. */
  readonly identity: string;
  /** Not refreshed for too long. A time in the future counts as well: a clock was set back. */
  readonly isDead: boolean;
}

/** Undefined if the lock is free. */
function holderOf(folder: string): Holder | undefined {
  const stat = fs.statSync(folder, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // Not an injected clock: the file system writes mtime by the system's.
  const isDead = Math.abs(Date.now() - Number(stat.mtimeMs)) > staleMs;
  return { identity: `${stat.ino}:${stat.birthtimeNs}`, isDead };
}

type Callback = (error: NodeJS.ErrnoException | null) => void;

/** File operations for the package that remove the lock's folder only while it is the one they made. */
function ownFolder(folder: string) {
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
 * Removes the lock of a process that died; whether this process did it. A second folder lets only
 * one process at a time check and remove; if that one dies, its folder counts as dead in turn.
 */
function removeIfDead(folder: string): boolean {
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

function stillHeld(file: string, folder: string): AuthcliError {
  const message = `Can't lock ${file}: another process has had the lock for a minute.`;
  const hint = `If no other authcli runs, remove the folder ${folder}.`;
  return new AuthcliError('config', message, { hint, data: { file } });
}

function lost(file: string): AuthcliError {
  const message = `The lock of ${file} was lost: this process was suspended for too long, and another took it over.`;
  return new AuthcliError('config', message, {
    hint: 'Nothing was written. Run it again.',
    data: { file },
  });
}
