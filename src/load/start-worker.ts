import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Report } from './job.ts';
import type { LoadThreads } from './run.ts';

/** Threads of Node that run `script`, a file or with `eval` its text, which serves the job that it is handed. */
export function workerThreads(script: string, options: { eval?: boolean } = {}): LoadThreads {
  return {
    parallelism: availableParallelism(),
    start: (job, listener) => {
      const worker = new Worker(script, { ...options, workerData: job });
      worker.on('message', (report: Report) => listener.report(report));
      worker.on('error', (error) => listener.failed(error));
      return {
        order: (order) => worker.postMessage(order),
        end: () => void worker.terminate(),
      };
    },
  };
}
