import { setTimeout as delay } from 'node:timers/promises';
import { lock as lockFile } from 'proper-lockfile';
import { AuthcliError } from '../errors.ts';
import { fileError } from './file-error.ts';
import { type Holder, holderOf, ownFolder, removeIfDead } from './lock-folder.ts';

/** How often a lock that is held is refreshed. */
const refreshMs = 1_000;
/** How long one and the same process may keep others waiting. */
const patienceMs = 60_000;
/** How long a process that waits for its turn looks away, at most. */
const maxPauseMs = 150;

/** The lock while it is held. */
export interface Lease {
  /** Whether the lock was taken from a process that had died, maybe in the midst of a write. */
  readonly tookOver: boolean;
  /** @throws AuthcliError `config` if the lock was lost; called right before each write. */
  confirm(): void;
}

/**
 * Does `work` while no other process holds the lock of `file`, a folder `FILE.lock` that
 * proper-lockfile makes, refreshes and removes. The folder of `file` must be there.
 *
 * @throws AuthcliError `config` if the lock can't be made, or one process holds it for a minute
 */
export async function withLock<T>(
  file: string,
  work: (lease: Lease) => T | Promise<T>,
): Promise<T> {
  const { lease, release } = await acquire(file).catch((error: unknown) => {
    throw fileError(error, 'lock', file);
  });
  try {
    return await work(lease);
  } finally {
    // What failed to go away counts as dead a few seconds later; the work itself is done.
    await release().catch(() => {});
  }
}

async function acquire(file: string) {
  const folder = `${file}.lock`;
  const patience = patienceWith(file, folder);
  let tookOver = false;
  for (let looks = 1; ; looks += 1) {
    const holder = holderOf(folder);
    if (holder?.isDead) {
      if (removeIfDead(folder)) tookOver = true;
    } else if (holder === undefined) {
      const held = await tryAcquire(file, folder, tookOver);
      if (held !== undefined) return held;
    } else patience.spend(holder);
    // At random times, so that a queue doesn't come back all at once; the longer it is, the rarer.
    await delay(Math.random() * Math.min(maxPauseMs, 10 * looks));
  }
}

/** Ends the waiting when one and the same process keeps the lock too long; many may hold it in turn. */
function patienceWith(file: string, folder: string) {
  let watched = '';
  let since = 0;
  return {
    spend({ identity }: Holder): void {
      if (identity !== watched) since = performance.now();
      watched = identity;
      if (performance.now() - since > patienceMs) throw stillHeld(file, folder);
    },
  };
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
      // Never stale in the library's eyes: of two processes that see a dead lock at the same
      // time, it lets the second remove what the first has made meanwhile. See removeIfDead.
      stale: Number.MAX_SAFE_INTEGER,
      onCompromised: () => {}, // confirm() finds out by itself, at the moment that matters
    });
    return { lease: { tookOver, confirm }, release };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOCKED') return undefined;
    throw error;
  }
}

function stillHeld(file: string, folder: string): AuthcliError {
  const message = `Can't lock ${file}: another process has held the lock for a minute.`;
  const hint = `If no other authcli runs, remove the folder ${folder}.`;
  return new AuthcliError('config', message, { hint, data: { file } });
}

function lost(file: string): AuthcliError {
  const message = `The lock of ${file} was lost: this process stood still for too long, and another took it over.`;
  return new AuthcliError('config', message, {
    hint: 'Nothing was written. Run it again.',
    data: { file },
  });
}
