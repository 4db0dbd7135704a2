import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import { AuthcliError } from '../errors.ts';
import { fileError } from './files.ts';

/**
 * A lock that was not refreshed for this long belonged to a process that died: a machine with too much to do holds a
 * process up for seconds, between its last look at the lock and the write too.
 */
const staleMs = 10_000;
const patienceMs = 60_000;
const mostPauseMs = 100;

/** Called right before each write: throws if the lock was lost, so that the work begins again. */
export type Confirm = () => void;

/**
 * Does `work` under the lock of `file`, a folder `FILE.lock` that proper-lockfile makes, refreshes
 * and removes. A process that was suspended for long may have lost it: `work` is then done again.
 *
 * @throws AuthcliError `config` if the lock can't be made, or one process has it for a minute
 */
export async function withLock<T>(file: string, work: (confirm: Confirm) => T | Promise<T>) {
  const folder = `${file}.lock`;
  for (;;) {
    const { release, isOurs } = await acquire(file, folder);
    const confirm = () => {
      if (!isOurs()) throw lost;
    };
    try {
      return await work(confirm);
    } catch (error) {
      if (error !== lost) throw error;
    } finally {
      // A lock that couldn't be removed counts as dead a few seconds later.
      if (isOurs()) await release().catch(() => {});
    }
  }
}

const lost = new Error('The lock was lost');

async function acquire(file: string, folder: string) {
  let made = '';
  const isOurs = () => identityOf(folder) === made;
  // At its exit the package removes the folder, which may be another process's by then.
  const ownFs = { ...fs, rmdirSync: (path: string) => isOurs() && fs.rmdirSync(path) };
  const stale = Number.MAX_SAFE_INTEGER; // see removeIfDead
  const options = { realpath: false, stale, update: 1_000, fs: ownFs, onCompromised: () => {} };
  let [holder, since] = ['', performance.now()];
  for (;;) {
    try {
      await removeIfDead(folder).catch(() => {}); // another process does
      const release = await lock(file, options);
      made = identityOf(folder);
      return { release, isOurs };
    } catch (error) {
      const isHeld = error instanceof Error && 'code' in error && error.code === 'ELOCKED';
      if (!isHeld) throw fileError(error, 'lock', file);
    }
    const current = identityOf(folder);
    // Among many writers, each has it for a moment, and one may wait for longer than a minute.
    if (current !== holder) [holder, since] = [current, performance.now()];
    if (performance.now() - since > patienceMs) {
      const message = `Can't lock ${file}: another process has had the lock for a minute.`;
      const hint = `If no other authcli runs, remove the folder ${folder}.`;
      throw new AuthcliError('config', message, { hint, data: { file } });
    }
    await delay(Math.random() * mostPauseMs);
  }
}

/** One process at a time: two that take over by the package remove each other's lock. */
async function removeIfDead(folder: string): Promise<void> {
  if (!isDead(folder)) return;
  const release = await lock(folder, { realpath: false, stale: staleMs, onCompromised: () => {} });
  if (isDead(folder)) fs.rmdirSync(folder);
  await release();
}

function isDead(folder: string): boolean {
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > staleMs;
}

/** Distinguishes one folder from another of the same name; an inode's number alone is used again. */
function identityOf(folder: string): string {
  const stat = fs.statSync(folder, { bigint: true, throwIfNoEntry: false });
  return `${stat?.ino}:${stat?.birthtimeNs}`;
}
