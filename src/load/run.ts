import { availableParallelism } from 'node:os';
import { createHistogram, type Histogram } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { preciseNow } from '../clock.ts';
import type { Diagnosis } from '../errors.ts';
import { roundTo } from '../text.ts';
import type { Counts, LoadJob, Report } from './job.ts';

/** A thread that works on a job; what is posted is cloned. */
interface LoadThread {
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

interface LoadProgress {
  readonly elapsedMs: number;
  readonly ended: number;
  readonly failed: number;
  /** Those that ended in the last second or so. */
  readonly perSecond: number;
  readonly p99: number;
}

/** Durations in milliseconds, each right to a tenth of a per cent. */
export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** One kind of failure: the first that was seen. */
export interface LoadError extends Diagnosis {
  readonly count: number;
}

export interface LoadResult
  extends Pick<
    Counts,
    | 'succeeded'
    | 'failed'
    | 'notStarted'
    | 'responded'
    | 'gaveUp'
    /** Of authcli's busiest thread. */
    | 'busy'
  > {
  readonly startedAt: string;
  /** From the start to the last sign-up that ended. */
  readonly durationMs: number;
  /** Begun, and not ended when the run was stopped. */
  readonly unfinished: number;
  readonly perSecond: number;
  readonly latency: LatencySummary;
  /** Of the first and of the second call. */
  readonly steps: readonly LatencySummary[];
  readonly errors: readonly LoadError[];
  readonly threads: number;
  readonly interrupted: boolean;
}

interface LoadSettings extends Pick<LoadJob, 'task' | 'wire' | 'schedule' | 'threads'> {
  readonly startThread: Threads['start'];
  readonly onProgress: (progress: LoadProgress) => void;
  /** Called with what messages may contain and must not be shown. */
  readonly onSecret: (value: string) => void;
}

const progressMs = 250;

/** The time between the order to start and the start. */
const leadMs = 20;

/** One load: starts the threads and collects what they count; its result can be read at any time. */
export class LoadRun {
  readonly #settings: LoadSettings;
  readonly #latencies = [createHistogram(), createHistogram(), createHistogram()] as const;
  readonly #counts = new Map<number, Counts>();
  readonly #threads: LoadThread[] = [];
  readonly #examples = new Map<string, Diagnosis>();
  #startedAt = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(settings: LoadSettings) {
    this.#settings = settings;
  }

  /** Runs to the end; rejects only for an error of authcli's own. */
  async start(): Promise<LoadResult> {
    const { task, wire, schedule, threads, startThread } = this.#settings;
    const latencies = this.#latencies;
    let [ready, ended] = [0, 0];
    const all = new Promise<void>((resolve, reject) => {
      for (let index = 0; index < threads; index += 1) {
        const thread = startThread({ task, wire, schedule, index, threads, latencies });
        thread.on('message', (report) => {
          if (report.type === 'example') this.#takeExample(report);
          if ('counts' in report) this.#counts.set(index, report.counts);
          if (report.type === 'ready' && ++ready === threads) this.#begin();
          if (report.type === 'ended' && ++ended === threads) resolve();
        });
        thread.on('error', reject);
        this.#threads.push(thread);
      }
    });
    await all.finally(() => this.stop());
    return this.result();
  }

  /** Ends the threads at once. */
  stop(): void {
    clearInterval(this.#watch);
    for (const thread of this.#threads.splice(0)) thread.terminate();
  }

  #takeExample({ diagnosis, secrets }: Extract<Report, { type: 'example' }>): void {
    secrets.forEach(this.#settings.onSecret);
    if (!this.#examples.has(diagnosis.code)) this.#examples.set(diagnosis.code, diagnosis);
  }

  #begin(): void {
    this.#startedAt = preciseNow() + leadMs;
    for (const thread of this.#threads) thread.postMessage(this.#startedAt);
    let last = { at: this.#startedAt, ended: 0 };
    this.#watch = setInterval(() => {
      const at = preciseNow();
      const failed = this.#sum('failed');
      const ended = this.#sum('succeeded') + failed;
      const perSecond = ((ended - last.ended) * 1000) / Math.max(at - last.at, 1);
      last = { at, ended };
      const { p99 } = summaryOf(this.#latencies[0]);
      const elapsedMs = Math.max(0, at - this.#startedAt);
      this.#settings.onProgress({ elapsedMs, ended, failed, perSecond, p99 });
    }, progressMs);
  }

  result(interrupted = false): LoadResult {
    const { threads } = this.#settings;
    const counts = [...this.#counts.values()];
    const begun = this.#startedAt > 0 ? this.#startedAt : preciseNow();
    const end = interrupted ? preciseNow() : Math.max(...counts.map(({ lastEnd }) => lastEnd));
    const durationMs = Math.max(0, end - begun);
    const succeeded = this.#sum('succeeded');
    const [whole, ...steps] = this.#latencies;
    return {
      startedAt: new Date(begun).toISOString(),
      durationMs,
      succeeded,
      failed: this.#sum('failed'),
      unfinished: this.#sum('underWay'),
      notStarted: this.#sum('notStarted'),
      responded: counts.some(({ responded }) => responded),
      gaveUp: counts.some(({ gaveUp }) => gaveUp),
      perSecond: durationMs === 0 ? 0 : (succeeded * 1000) / durationMs,
      latency: summaryOf(whole),
      steps: steps.map(summaryOf),
      errors: this.#errors(),
      threads,
      busy: Math.max(0, ...counts.map(({ busy }) => busy)),
      interrupted,
    };
  }

  #sum(name: 'succeeded' | 'failed' | 'underWay' | 'notStarted'): number {
    return [...this.#counts.values()].reduce((sum, counts) => sum + counts[name], 0);
  }

  /** The most frequent first. */
  #errors(): readonly LoadError[] {
    const all = [...this.#counts.values()].map(({ errors }) => errors);
    const countOf = (code: string) => all.reduce((sum, errors) => sum + (errors[code] ?? 0), 0);
    return [...this.#examples.values()]
      .map((example) => ({ ...example, count: countOf(example.code) }))
      .filter(({ count }) => count > 0)
      .sort((one, other) => other.count - one.count);
  }
}

function summaryOf(histogram: Histogram): LatencySummary {
  const { count } = histogram;
  const at = (percent: number) => histogram.percentile(percent) / 1000;
  return { count, p50: at(50), p90: at(90), p99: at(99), max: histogram.max / 1000 };
}

/** The limits of a run, all optional. */
export interface Thresholds {
  /** Milliseconds. */
  readonly maxP99?: number;
  /** How many may fail: a number, or a share from 0 to 1 of those that ended. */
  readonly maxErrors?: { readonly count: number } | { readonly share: number };
}

/** One threshold and what was measured: "p99 at most 200 ms", "312 ms". */
export interface ThresholdVerdict {
  readonly threshold: string;
  readonly kept: boolean;
  readonly observed: string;
}

/** Compares a result with the thresholds. A run in which nothing succeeded meets no latency. */
export function judgeThresholds(
  { latency, succeeded, failed }: LoadResult,
  { maxP99, maxErrors }: Thresholds,
): readonly ThresholdVerdict[] {
  const verdicts: ThresholdVerdict[] = [];
  if (maxP99 !== undefined) {
    const kept = latency.count > 0 && latency.p99 <= maxP99;
    const observed = `${roundTo(2, latency.p99)} ms`;
    verdicts.push({ threshold: `p99 at most ${maxP99} ms`, kept, observed });
  }
  if (maxErrors !== undefined) {
    const ended = succeeded + failed;
    const share = ended === 0 ? 0 : failed / ended;
    const most =
      'share' in maxErrors ? `${roundTo(2, maxErrors.share * 100)}%` : `${maxErrors.count}`;
    const kept = 'share' in maxErrors ? share <= maxErrors.share : failed <= maxErrors.count;
    const observed = `${failed} of ${ended} (${roundTo(2, share * 100)}%)`;
    verdicts.push({ threshold: `errors at most ${most}`, kept, observed });
  }
  return verdicts;
}
