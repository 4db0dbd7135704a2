import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { withLock } from '../../src/state/lock.ts';
import { coded, configFile, temporaryFolder } from './temporary-state.ts';

/** A lock that its owner left behind that many seconds ago. */
function deadLock(file: string, seconds: number): void {
  mkdirSync(`${file}.lock`);
  const then = Date.now() / 1000 - seconds;
  utimesSync(`${file}.lock`, then, then);
}

/** As if another process had taken the lock over. */
function replaceLock(file: string): void {
  const other = `${file}.other`;
  mkdirSync(other);
  // Renaming onto an empty folder replaces it.
  renameSync(other, `${file}.lock`);
}

describe('the lock', () => {
  it('is held by one at a time', async () => {
    const file = configFile();
    let holders = 0;
    let most = 0;
    const work = async () => {
      holders += 1;
      most = Math.max(most, holders);
      await delay(2);
      holders -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(file, randomBytes, work)));
    assert.equal(most, 1);
    assert.deepEqual(readdirSync(dirname(file)), []);
  });

  it('is released when the work fails, and gives back what it returns', async () => {
    const file = configFile();
    await assert.rejects(
      withLock(file, randomBytes, () => {
        throw new Error('boom');
      }),
      /boom/,
    );
    assert.equal(await withLock(file, randomBytes, () => 7), 7);
  });

  it('is refreshed while it is held', async () => {
    const file = configFile();
    await withLock(file, randomBytes, async (lease) => {
      const before = statSync(`${file}.lock`).mtimeMs;
      await delay(2600);
      assert.ok(statSync(`${file}.lock`).mtimeMs > before);
      lease.confirm();
    });
  });

  for (const [what, seconds] of [
    ['long ago', 3600],
    ['just over five seconds ago', 5.1],
    ['in the future, by a clock set back', -3600],
  ] as const) {
    it(`of a process that died ${what} is taken over at once, by one of many`, async () => {
      const file = configFile();
      deadLock(file, seconds);
      let count = 0;
      let tookOver = 0;
      const work = async (lease: { readonly tookOver: boolean }) => {
        const before = count;
        await delay(1);
        count = before + 1;
        if (lease.tookOver) tookOver += 1;
      };
      await Promise.all(Array.from({ length: 20 }, () => withLock(file, randomBytes, work)));
      assert.equal(count, 20);
      assert.equal(tookOver, 1);
      assert.deepEqual(readdirSync(dirname(file)), []);
    });
  }

  it('is taken over although another died while it took it over', async () => {
    const file = configFile();
    deadLock(file, 60);
    mkdirSync(`${file}.lock.takeover`);
    utimesSync(`${file}.lock.takeover`, 1, 1);
    assert.equal(await withLock(file, randomBytes, () => 'done'), 'done');
    assert.deepEqual(readdirSync(dirname(file)), []);
  });

  it('that was lost is noticed before a write, and not taken from its new owner', async () => {
    const file = configFile();
    await withLock(file, randomBytes, (lease) => {
      lease.confirm();
      replaceLock(file);
      assert.throws(
        () => lease.confirm(),
        coded('config', /^The lock of .* was lost/, 'Nothing was written. Run it again.'),
      );
    });
    assert.ok(existsSync(`${file}.lock`));
  });

  it('says why it can not be made', async () => {
    const file = join(temporaryFolder(), 'missing', 'config.json');
    await assert.rejects(
      withLock(file, randomBytes, () => {}),
      coded('config', `Can't lock ${file}: its folder is gone.`, /Try again/),
    );
  });
});
