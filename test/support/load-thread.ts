import { preciseNow } from '../../src/clock.ts';
import type { Order } from '../../src/load/job.ts';
import { serveLoad } from '../../src/load/thread.ts';
import type { StartThread } from '../../src/load/threads.ts';
import { seededBytes } from './seeded-bytes.ts';

const randomBytes = seededBytes('load-thread');

/** Serves the jobs of a load in this very thread: what is handed over is cloned as for another one. */
export const startThreadHere: StartThread = (job, listener) => {
  let hear: (order: Order) => void = () => {};
  let ended = false;
  queueMicrotask(() => {
    serveLoad(
      structuredClone(job),
      {
        send: (report) => {
          const sent = structuredClone(report);
          setImmediate(() => {
            if (!ended) listener.report(sent);
          });
        },
        listen: (listening) => {
          hear = listening;
        },
      },
      { now: preciseNow, randomBytes },
    );
  });
  return {
    order: (order: Order) => hear(order),
    end: () => {
      ended = true;
      hear({ type: 'stop' });
    },
  };
};
