import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { Turns } from '../../src/cli/verify/signin-emulations.ts';

const limits = { fewest: 2, first: 3, most: 5 };

/** Work that takes turns, on a clock that the test sets. */
function newWork() {
  let now = 0;
  const turns = new Turns(limits, () => now);
  const running: { readonly name: number; readonly leave: () => void }[] = [];
  let count = 0;
  return {
    async start(jobs: number): Promise<void> {
      for (let job = 0; job < jobs; job += 1) {
        const name = count;
        count += 1;
        void turns.take().then((leave) => running.push({ name, leave }));
      }
      await settle();
    },
    /** Ends what runs, after that time. */
    async end(durationMs: number, atMost = running.length): Promise<void> {
      now += durationMs;
      for (const { leave } of running.splice(0, atMost)) leave();
      await settle();
    },
    names: () => running.map(({ name }) => name),
  };
}

describe('Turns', () => {
  it('starts as many as it begins with, and the others first come first served', async () => {
    const work = newWork();
    await work.start(9);
    assert.deepEqual(work.names(), [0, 1, 2]);
    await work.end(100, 1);
    assert.deepEqual(work.names(), [1, 2, 3, 4]);
  });

  it('gives more turns, up to the most, while each takes about as long as the quickest', async () => {
    const work = newWork();
    await work.start(40);
    for (const durationMs of [100, 150, 200, 120]) await work.end(durationMs);
    assert.equal(work.names().length, limits.most);
  });

  it('gives fewer, down to the fewest, once they slow each other down, and more again', async () => {
    const work = newWork();
    await work.start(60);
    await work.end(100);
    for (let round = 0; round < 3; round += 1) await work.end(401);
    assert.equal(work.names().length, limits.fewest);
    await work.end(300);
    assert.equal(work.names().length, limits.fewest);
    await work.end(100);
    assert.equal(work.names().length, limits.fewest + 2);
  });
});
