import type { RecordableHistogram } from 'node:perf_hooks';
import type { TransportOptions } from '../client/transport-options.ts';
import type { Diagnosis } from '../errors.ts';

/** How a load sends: without retries, which would hide what it is to show. */
export type LoadWire = Omit<TransportOptions, 'retries' | 'signal' | 'now'>;

/** Sign-ups at an application's callback URL. */
export interface LoadTask {
  readonly url: string;
  readonly clientId: string;
  /** In the notation of ciphers. */
  readonly cipher: string;
  /** The service's key pairs as PEM: each thread parses its own, since threads that share a key wait for each other. */
  readonly keyPairs: readonly string[];
  /** The text of everyone's user information; made up for each user by default, null for none. */
  readonly userInfo?: string | null;
}

/**
 * Open model: sign-ups begin at their times, whether earlier ones have ended or not, as users do.
 * Closed model: `atOnce` at the same time, the next as soon as one has ended.
 */
export type Pace =
  | { readonly model: 'open'; readonly perSecond: number; readonly mostAtOnce: number }
  | { readonly model: 'closed'; readonly atOnce: number };

/** When a run begins sign-ups, and how many. */
export interface Schedule {
  readonly pace: Pace;
  /** How long sign-ups are begun; infinite where their number ends the run. */
  readonly durationMs: number;
  /** How many are begun; infinite where time ends the run. */
  readonly signups: number;
}

export interface LoadJob {
  readonly task: LoadTask;
  readonly wire: LoadWire;
  readonly schedule: Schedule;
  /** Which of how many threads this is: of everything that is numbered it takes every nth. */
  readonly index: number;
  readonly threads: number;
  /** Microseconds of whole sign-ups, of the first call, of the second; all threads record in the same ones. */
  readonly latencies: readonly RecordableHistogram[];
}

export interface Counts {
  succeeded: number;
  failed: number;
  underWay: number;
  /** Due, and not begun before the end. */
  notStarted: number;
  /** Whether any response came at all. */
  responded: boolean;
  /** Whether it ended early because nothing took its connections. */
  gaveUp: boolean;
  /** When the last one ended, in milliseconds since the epoch. */
  lastEnd: number;
  /** The share of time in which it worked, from 0 to 1. */
  busy: number;
  readonly errors: Record<string, number>;
}

/** What a thread reports; once it is ready, it is told when to start, in milliseconds since the epoch. */
export type Report =
  | { readonly type: 'ready' }
  /** The first failure of its code. */
  | {
      readonly type: 'example';
      readonly diagnosis: Diagnosis;
      readonly secrets: readonly string[];
    }
  | { readonly type: 'counted' | 'ended'; readonly counts: Counts };
