import { type DiagnosisCode, diagnosisCodes } from '../errors.ts';
import { allocateLatencies, LatencyCounts } from './latency-counts.ts';

/** What one thread counts. Each is a number that only grows, but for `underWay`. */
const names = [
  'succeeded',
  'failed',
  'underWay',
  /** Sign-ups whose time had come, and that could not be begun before the end. */
  'notStarted',
  'warmedUp',
  'warmUpFailed',
  /** Failures after some answer had come. */
  'answered',
  /** The sum of all latencies, in milliseconds. */
  'latencyMs',
  /** When the last one ended, in milliseconds since the epoch. */
  'lastEnd',
  /** Keys that were examined as thoroughly as those of a single sign-up. */
  'examinedKeys',
  /** Milliseconds in which the thread worked, and in which it waited. */
  'activeMs',
  'idleMs',
] as const;

type Counter = (typeof names)[number];

/** The memory of one thread's tally, to hand over to it. */
export interface TallyMemory {
  readonly counters: SharedArrayBuffer;
  readonly slowest: SharedArrayBuffer;
  /** Of whole sign-ups or sign-ins, of the first call, of the second. */
  readonly latencies: readonly SharedArrayBuffer[];
}

const bytesPerCounter = Float64Array.BYTES_PER_ELEMENT;

/**
 * What one thread has counted so far. It stands in shared memory, so that a run that is cut short,
 * or a thread that is lost, leaves all its figures.
 */
export class Tally {
  readonly whole: LatencyCounts;
  readonly steps: readonly LatencyCounts[];
  readonly #counters: Float64Array;
  readonly #errors: Float64Array;
  readonly #weaknesses: Float64Array;
  readonly #slowest: Int32Array;

  constructor({ counters, slowest, latencies }: TallyMemory) {
    this.#counters = new Float64Array(counters, 0, names.length);
    const after = names.length * bytesPerCounter;
    this.#errors = new Float64Array(counters, after, diagnosisCodes.length);
    this.#weaknesses = new Float64Array(
      counters,
      after + diagnosisCodes.length * bytesPerCounter,
      diagnosisCodes.length,
    );
    this.#slowest = new Int32Array(slowest);
    const [whole, ...steps] = latencies.map((memory) => new LatencyCounts(memory));
    if (whole === undefined) throw new TypeError('a tally without latencies');
    this.whole = whole;
    this.steps = steps;
  }

  static allocate(): TallyMemory {
    const counters = (names.length + 2 * diagnosisCodes.length) * bytesPerCounter;
    return {
      counters: new SharedArrayBuffer(counters),
      slowest: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
      latencies: [allocateLatencies(), allocateLatencies(), allocateLatencies()],
    };
  }

  get(name: Counter): number {
    return this.#counters[names.indexOf(name)] ?? 0;
  }

  set(name: Counter, value: number): void {
    this.#counters[names.indexOf(name)] = value;
  }

  add(name: Counter, amount = 1): void {
    this.set(name, this.get(name) + amount);
  }

  addError(code: DiagnosisCode): void {
    count(this.#errors, code);
  }

  /** A key that was right and weak all the same. */
  addWeakness(code: DiagnosisCode): void {
    count(this.#weaknesses, code);
  }

  get errors(): readonly (readonly [DiagnosisCode, number])[] {
    return counted(this.#errors);
  }

  get weaknesses(): readonly (readonly [DiagnosisCode, number])[] {
    return counted(this.#weaknesses);
  }

  /** Counts a latency for the course of the run as well. */
  addLatency(ms: number): void {
    this.add('latencyMs', ms);
    const us = Math.min(Math.round(ms * 1000), 2 ** 31 - 1);
    if (us > Atomics.load(this.#slowest, 0)) Atomics.store(this.#slowest, 0, us);
  }

  /** The longest latency since this was asked last, in milliseconds. */
  takeSlowest(): number {
    return Atomics.exchange(this.#slowest, 0, 0) / 1000;
  }
}

function count(counts: Float64Array, code: DiagnosisCode): void {
  const index = diagnosisCodes.indexOf(code);
  counts[index] = (counts[index] ?? 0) + 1;
}

function counted(counts: Float64Array): readonly (readonly [DiagnosisCode, number])[] {
  return diagnosisCodes
    .map((code, index) => [code, counts[index] ?? 0] as const)
    .filter(([, times]) => times > 0);
}
