import { MessageChannel } from 'node:worker_threads';
import { preciseNow } from '../../src/clock.ts';
import type { Threads } from '../../src/load/run.ts';
import { serveLoad } from '../../src/load/thread.ts';
import { seededBytes } from './seeded-bytes.ts';

const environment = { now: preciseNow, randomBytes: seededBytes('load-thread') };

/** Serves the jobs of a load in this very thread: what is handed over is cloned as for another one. */
export const startThreadHere: Threads['start'] = (job) => {
  const { port1, port2 } = new MessageChannel();
  queueMicrotask(() => serveLoad(structuredClone(job), port2, environment));
  return Object.assign(port1, { terminate: () => port1.close() });
};
