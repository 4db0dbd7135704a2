import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { LoadJob, Report } from './job.ts';

/** A thread that works on a job; what is posted is cloned. */
export interface LoadThread {
  postMessage(startAt: number): void;
  on(event: 'message', listener: (report: Report) => void): unknown;
  /** It ended by an error of its own. */
  on(event: 'error', listener: (error: unknown) => void): unknown;
  terminate(): unknown;
}

export interface Threads {
  readonly start: (job: LoadJob) => LoadThread;
  /** How many of them this machine can run at the same time. */
  readonly parallelism: number;
}

/** Threads of Node that run `script`, a file or with `eval` its text, which serves the job that it is handed. */
export function workerThreads(script: string, options: { eval?: boolean } = {}): Threads {
  return {
    parallelism: availableParallelism(),
    start: (job) => new Worker(script, { ...options, workerData: job }),
  };
}
