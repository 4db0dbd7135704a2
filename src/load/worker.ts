/** The file that a thread of a load runs; the build makes it a bundle of its own. */
import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { preciseNow } from '../clock.ts';
import type { LoadJob, Order } from './job.ts';
import { serveLoad } from './thread.ts';

const port = parentPort;
if (port === null) throw new TypeError('not a thread of a load');

serveLoad(
  workerData as LoadJob,
  {
    send: (report) => port.postMessage(report),
    listen: (onOrder) => port.on('message', (order: Order) => onOrder(order)),
  },
  { now: preciseNow, randomBytes },
);
