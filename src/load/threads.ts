import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { LoadJob, Order, Report } from './job.ts';

/** A thread that works on a job, and takes orders for it. */
export interface ThreadHandle {
  order(order: Order): void;
  /** Ends it at once. */
  end(): void;
}

export interface ThreadListener {
  report(report: Report): void;
  /** It ended by an error of its own. */
  failed(error: unknown): void;
}

/** What goes from one thread to the other is cloned. */
export type StartThread = (job: LoadJob, listener: ThreadListener) => ThreadHandle;

export interface Threads {
  readonly start: StartThread;
  /** How many of them this machine can run at the same time. */
  readonly parallelism: number;
}

/** Threads of Node that run `script`, a file or with `eval` its text, which serves the job that it is handed. */
export function workerThreads(script: string, options: { eval?: boolean } = {}): Threads {
  return {
    parallelism: availableParallelism(),
    start: (job, listener) => {
      const worker = new Worker(script, { ...options, workerData: job });
      worker.on('message', (report) => listener.report(report));
      worker.on('error', (error) => listener.failed(error));
      return {
        order: (order) => worker.postMessage(order),
        end: () => void worker.terminate(),
      };
    },
  };
}
