import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, mock } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { withLock } from '../../src/state/lock.ts';
import { coded, configFile, temporaryFolder } from './temporary-state.ts';

/** Twenty that each increment a count which they read a moment before. */
async function countTwenty(file: string): Promise<number> {
  let count = 0;
  const work = async () => {
    const before = count;
    await delay(2);
    count = before + 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(file, work)));
  return count;
}

const secondsAgo = (folder: string, seconds: number) =>
  utimesSync(folder, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);

describe('the lock', () => {
  it('is released when the work fails, and returns its result', async () => {
    const file = configFile();
    const failing = withLock(file, () => {
      throw new Error('boom');
    });
    await assert.rejects(failing, /boom/);
    assert.equal(await withLock(file, () => 7), 7);
  });

  it('is refreshed while it is held', { timeout: 60_000 }, async () => {
    const file = configFile();
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      await withLock(file, async (confirm) => {
        const before = statSync(`${file}.lock`).mtimeMs;
        while (statSync(`${file}.lock`).mtimeMs === before) {
          await setImmediate();
          mock.timers.tick(1000);
        }
        confirm();
      });
    } finally {
      mock.timers.reset();
    }
  });

  for (const seconds of [undefined, 3600, 4.1]) {
    it(`is held by one at a time, after a process that died ${seconds} s ago`, async () => {
      const file = configFile();
      // Another one died while it took the lock over.
      for (const folder of [`${file}.lock`, `${file}.lock.lock`]) {
        if (seconds === undefined) break;
        mkdirSync(folder);
        secondsAgo(folder, seconds);
      }
      assert.equal(await countTwenty(file), 20);
      assert.deepEqual(readdirSync(dirname(file)), []);
    });
  }

  it('that was lost is noticed before a write, which waits for its new owner', async () => {
    const file = configFile();
    let attempts = 0;
    const written: number[] = [];
    await withLock(file, (confirm) => {
      attempts += 1;
      if (attempts === 1) {
        mkdirSync(`${file}.other`);
        renameSync(`${file}.other`, `${file}.lock`); // onto an empty folder, which it replaces
        secondsAgo(`${file}.lock`, 3.5);
      }
      confirm();
      assert.ok(existsSync(`${file}.lock`));
      written.push(attempts);
    });
    assert.deepEqual(written, [2]);
  });

  it('says why it can not be made', async () => {
    const file = join(temporaryFolder(), 'missing', 'config.json');
    const refused = coded('config', `Can't lock ${file}: its folder is gone.`, /Try again/);
    const locked = withLock(file, () => {});
    await assert.rejects(locked, refused);
  });
});
