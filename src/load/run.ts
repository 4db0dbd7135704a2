import { setTimeout as delay } from 'node:timers/promises';
import { preciseNow } from '../clock.ts';
import type { Diagnosis, DiagnosisCode } from '../errors.ts';
import type { LoadJob, LoadTask, Order, Report, Schedule } from './job.ts';
import { KeyMemory } from './key-examiner.ts';
import { Latencies, type LatencyCounts } from './latency-counts.ts';
import type { LatencySummary, LoadError, LoadResult } from './result.ts';
import { Tally } from './tally.ts';
import type { StartThread, ThreadHandle } from './threads.ts';

export type LoadEvent =
  | { readonly type: 'progress'; readonly progress: LoadProgress }
  /** A value that messages may contain and that must not be shown. */
  | { readonly type: 'secret'; readonly value: string };

export interface LoadProgress {
  readonly elapsedMs: number;
  readonly ended: number;
  readonly failed: number;
  /** Those that ended in the last second or so. */
  readonly perSecond: number;
  readonly p99: number;
}

export interface LoadSettings {
  readonly task: LoadTask;
  readonly wire: LoadJob['wire'];
  readonly schedule: Schedule;
  readonly threads: number;
  readonly startThread: StartThread;
  readonly emit: (event: LoadEvent) => void;
}

const sampleMs = 250;

/** How long a thread may take to stop. */
const patienceMs = 1000;

/** The time between the order to start and the start. */
const leadMs = 20;

/** One load: starts the threads and samples their tallies; its result can be read at any time. */
export class LoadRun {
  readonly #settings: LoadSettings;
  readonly #jobs: readonly LoadJob[];
  readonly #tallies: readonly Tally[];
  readonly #threads: ThreadHandle<Order>[] = [];
  readonly #examples = new Map<string, Diagnosis>();
  readonly #timeline = new Timeline();
  #startedAt = 0;
  #last = { atMs: 0, succeeded: 0, failed: 0, latencyMs: 0, latencies: 0 };
  #watch: NodeJS.Timeout | undefined;
  readonly #ended: Promise<void>;
  #onEnded: () => void = () => {};

  constructor(settings: LoadSettings) {
    const { task, wire, schedule, threads } = settings;
    this.#settings = settings;
    this.#ended = new Promise((resolve) => {
      this.#onEnded = resolve;
    });
    const tickets = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const keys = KeyMemory.allocate();
    this.#jobs = Array.from({ length: threads }, (_, index) => {
      const tally = Tally.allocate();
      return { task, wire, schedule, index, threads, tally, tickets, keys };
    });
    this.#tallies = this.#jobs.map(({ tally }) => new Tally(tally));
  }

  /** Runs to the end; rejects only for an error of authcli's own. */
  async start(): Promise<LoadResult> {
    try {
      await this.#runThreads();
    } finally {
      this.stop();
    }
    return this.result();
  }

  /** Stops the threads, and waits for their last reports. */
  async halt(): Promise<void> {
    for (const thread of this.#threads) thread.order({ type: 'stop' });
    await Promise.race([this.#ended, delay(patienceMs, undefined, { ref: false })]);
    this.stop();
  }

  /** Ends the threads at once. */
  stop(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    for (const thread of this.#threads.splice(0)) thread.end();
  }

  #runThreads(): Promise<void> {
    return new Promise((resolve, reject) => {
      let waiting = this.#jobs.length;
      let running = this.#jobs.length;
      const onReport = (report: Report): void => {
        if (report.type === 'ready') {
          waiting -= 1;
          if (waiting === 0) this.#begin();
        } else if (report.type === 'ended') {
          running -= 1;
          if (running === 0) this.#onEnded();
          if (running === 0) resolve();
        } else this.#note(report);
      };
      for (const job of this.#jobs) {
        this.#threads.push(this.#settings.startThread(job, { report: onReport, failed: reject }));
      }
    });
  }

  #begin(): void {
    this.#startedAt = preciseNow() + leadMs;
    for (const thread of this.#threads) thread.order({ type: 'start', at: this.#startedAt });
    this.#watch = setInterval(() => this.#sample(), sampleMs);
  }

  #note(report: Extract<Report, { type: 'example' }>): void {
    for (const value of report.secrets) this.#settings.emit({ type: 'secret', value });
    const { diagnosis } = report;
    if (!this.#examples.has(diagnosis.code)) this.#examples.set(diagnosis.code, diagnosis);
  }

  #sample(): void {
    const { ended, failed, perSecond, elapsedMs } = this.#progressed();
    const p99 = this.#latencies((tally) => tally.whole).percentile(99);
    const progress = { elapsedMs, ended, failed, perSecond, p99 };
    this.#settings.emit({ type: 'progress', progress });
  }

  /** Adds what ended since the last sample to the timeline. */
  #progressed() {
    const last = this.#last;
    const elapsedMs = Math.max(0, preciseNow() - this.#startedAt);
    const latencies = this.#latencies((tally) => tally.whole).count;
    const now = {
      atMs: elapsedMs,
      succeeded: this.#sum('succeeded'),
      failed: this.#sum('failed'),
      latencyMs: this.#sum('latencyMs'),
      latencies,
    };
    const maxMs = Math.max(...this.#tallies.map((tally) => tally.takeSlowest()));
    const since = {
      succeeded: now.succeeded - last.succeeded,
      failed: now.failed - last.failed,
      latencyMs: now.latencyMs - last.latencyMs,
      latencies: now.latencies - last.latencies,
      maxMs,
    };
    this.#timeline.add(last.atMs, elapsedMs, since);
    this.#last = now;
    const seconds = Math.max(elapsedMs - last.atMs, 1) / 1000;
    const ended = now.succeeded + now.failed;
    const perSecond = (since.succeeded + since.failed) / seconds;
    return { elapsedMs, ended, failed: now.failed, perSecond };
  }

  result(interrupted = false): LoadResult {
    const { threads } = this.#settings;
    if (this.#startedAt > 0) this.#progressed();
    const begun = this.#startedAt > 0 ? this.#startedAt : preciseNow();
    const lastEnd = Math.max(...this.#tallies.map((tally) => tally.get('lastEnd')));
    const durationMs = Math.max(0, (interrupted ? preciseNow() : lastEnd) - begun);
    const succeeded = this.#sum('succeeded');
    const whole = this.#latencies((tally) => tally.whole);
    return {
      startedAt: new Date(begun).toISOString(),
      durationMs,
      succeeded,
      failed: this.#sum('failed'),
      unfinished: this.#sum('underWay'),
      notStarted: this.#sum('notStarted'),
      responded: this.#sum('responded') > 0,
      ...(this.#sum('gaveUp') > 0 && { gaveUp: true }),
      perSecond: durationMs === 0 ? 0 : (succeeded * 1000) / durationMs,
      latency: summaryOf(whole, this.#sum('latencyMs')),
      steps: [0, 1].map((index) => summaryOf(this.#latencies((tally) => tally.steps[index]))),
      bands: whole.bands(bandBounds(whole)),
      errors: this.#errors((tally) => tally.errors),
      examinedKeys: this.#sum('examinedKeys'),
      weaknesses: this.#errors((tally) => tally.weaknesses),
      timeline: this.#timeline.moments,
      threads,
      busy: Math.max(...this.#tallies.map(shareOfWork)),
      interrupted,
    };
  }

  #sum(name: Parameters<Tally['get']>[0]): number {
    return this.#tallies.reduce((sum, tally) => sum + tally.get(name), 0);
  }

  #latencies(of: (tally: Tally) => LatencyCounts | undefined): Latencies {
    return new Latencies(this.#tallies.flatMap((tally) => of(tally) ?? []));
  }

  /** The most frequent first. */
  #errors(of: (tally: Tally) => Tally['errors']): readonly LoadError[] {
    const counts = new Map<DiagnosisCode, number>();
    for (const [code, count] of this.#tallies.flatMap(of)) {
      counts.set(code, (counts.get(code) ?? 0) + count);
    }
    return [...counts]
      .map(([code, count]) => ({ ...unseen, ...this.#examples.get(code), code, count }))
      .sort((one, other) => other.count - one.count);
  }
}

const unseen = { message: '', hint: '', calls: {} };

function shareOfWork(tally: Tally): number {
  const active = tally.get('activeMs');
  return active === 0 ? 0 : active / (active + tally.get('idleMs'));
}

function summaryOf(latencies: Latencies, sumMs?: number): LatencySummary {
  const { count, min } = latencies;
  const at = (percent: number): number => latencies.percentile(percent);
  return {
    count,
    min,
    mean: count === 0 ? 0 : (sumMs ?? latencies.sumMs) / count,
    p50: at(50),
    p75: at(75),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: at(100),
  };
}

/** Bounds that grow evenly by a factor, from the least latency to the greatest. */
function bandBounds(latencies: Latencies): readonly number[] {
  const low = Math.max(latencies.min, 0.01);
  const high = Math.max(latencies.percentile(100), low);
  const count = 40;
  const factor = Math.max(high / low, 1.01) ** (1 / count);
  return Array.from({ length: count }, (_, index) =>
    index === count - 1 ? high + 0.001 : low * factor ** (index + 1),
  );
}

export interface Moment {
  /** Milliseconds from the start of the run. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Of latencies; 0 if none ended. */
  readonly meanMs: number;
  readonly maxMs: number;
}

/** What ended between two samples of the tallies. */
export interface Progressed {
  readonly succeeded: number;
  readonly failed: number;
  readonly latencyMs: number;
  readonly latencies: number;
  readonly maxMs: number;
}

interface Slot extends Progressed {
  readonly startMs: number;
  readonly endMs: number;
}

/** Beyond this, parts are merged by two, so that a run of days needs no more memory. */
const mostSlots = 240;

/** A run in parts of equal length. */
export class Timeline {
  #slots: Slot[] = [];
  /** How many samples make a part. */
  #samples = 1;
  #inLast = 0;

  add(startMs: number, endMs: number, progressed: Progressed): void {
    const slot = { ...progressed, startMs, endMs };
    const last = this.#slots.at(-1);
    if (last !== undefined && this.#inLast < this.#samples) {
      this.#slots[this.#slots.length - 1] = together(last, slot);
      this.#inLast += 1;
      return;
    }
    if (this.#slots.length === mostSlots) {
      this.#halve();
      this.add(startMs, endMs, progressed);
      return;
    }
    this.#slots.push(slot);
    this.#inLast = 1;
  }

  get moments(): readonly Moment[] {
    return this.#slots.map(
      ({ startMs, endMs, succeeded, failed, latencyMs, latencies, maxMs }) => ({
        atMs: startMs,
        durationMs: endMs - startMs,
        succeeded,
        failed,
        meanMs: latencies === 0 ? 0 : latencyMs / latencies,
        maxMs,
      }),
    );
  }

  #halve(): void {
    const halves: Slot[] = [];
    for (let index = 0; index < this.#slots.length; index += 2) {
      const [first, second] = this.#slots.slice(index, index + 2);
      if (first !== undefined) halves.push(second === undefined ? first : together(first, second));
    }
    this.#slots = halves;
    this.#samples *= 2;
    this.#inLast = this.#samples;
  }
}

function together(one: Slot, other: Slot): Slot {
  return {
    startMs: one.startMs,
    endMs: other.endMs,
    succeeded: one.succeeded + other.succeeded,
    failed: one.failed + other.failed,
    latencyMs: one.latencyMs + other.latencyMs,
    latencies: one.latencies + other.latencies,
    maxMs: Math.max(one.maxMs, other.maxMs),
  };
}
