/** The file that a thread of a load runs. */
import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { RandomBytes } from '../bytes.ts';
import { preciseNow } from '../clock.ts';
import type { LoadJob } from './job.ts';
import { serveLoad } from './thread.ts';

if (parentPort === null) throw new TypeError('not a thread of a load');
const environment = { now: preciseNow, randomBytes: drawnInBlocks(4096) };
serveLoad(workerData as LoadJob, parentPort, environment);

/** Cuts what is asked for out of larger draws: each draw of its own takes a thread some 15 us. */
function drawnInBlocks(blockBytes: number): RandomBytes {
  let block = randomBytes(blockBytes);
  return (size) => {
    if (size > block.length) block = randomBytes(Math.max(size, blockBytes));
    const drawn = block.subarray(0, size);
    block = block.subarray(size);
    return drawn;
  };
}
