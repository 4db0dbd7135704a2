import { type DiagnosisCode, diagnosisCodes } from '../errors.ts';
import { allocateLatencies, LatencyCounts } from './latency-counts.ts';

/** What one thread counts; except for `underWay` the numbers only grow. */
const names = [
  'succeeded',
  'failed',
  'underWay',
  /** Sign-ups that were due and not begun before the end. */
  'notStarted',
  /** Failures after some response had come. */
  'responded',
  /** 1 if the thread ended early because nothing took its connections. */
  'gaveUp',
  /** The sum of all latencies, in milliseconds. */
  'latencyMs',
  /** When the last one ended, in milliseconds since the epoch. */
  'lastEnd',
  /** Keys that were examined thoroughly. */
  'examinedKeys',
  /** Milliseconds in which the thread worked and waited. */
  'activeMs',
  'idleMs',
] as const;

type Counter = (typeof names)[number];

export interface TallyMemory {
  readonly counters: SharedArrayBuffer;
  readonly slowest: SharedArrayBuffer;
  /** Of whole sign-ups or sign-ins, of the first call, of the second. */
  readonly latencies: readonly SharedArrayBuffer[];
}

const bytesPerCounter = Float64Array.BYTES_PER_ELEMENT;

/** What one thread has counted so far, in shared memory: an interrupted run or a lost thread leaves all its figures. */
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

  /** A well-formed key that is weak. */
  addWeakness(code: DiagnosisCode): void {
    count(this.#weaknesses, code);
  }

  get errors(): readonly (readonly [DiagnosisCode, number])[] {
    return positiveCounts(this.#errors);
  }

  get weaknesses(): readonly (readonly [DiagnosisCode, number])[] {
    return positiveCounts(this.#weaknesses);
  }

  /** Counts a latency for the timeline. */
  addLatency(ms: number): void {
    this.add('latencyMs', ms);
    const us = Math.min(Math.round(ms * 1000), 2 ** 31 - 1);
    if (us > Atomics.load(this.#slowest, 0)) Atomics.store(this.#slowest, 0, us);
  }

  /** The longest latency since the last call, in milliseconds. */
  takeSlowest(): number {
    return Atomics.exchange(this.#slowest, 0, 0) / 1000;
  }
}

function count(counts: Float64Array, code: DiagnosisCode): void {
  const index = diagnosisCodes.indexOf(code);
  counts[index] = (counts[index] ?? 0) + 1;
}

function positiveCounts(counts: Float64Array): readonly (readonly [DiagnosisCode, number])[] {
  return diagnosisCodes
    .map((code, index) => [code, counts[index] ?? 0] as const)
    .filter(([, times]) => times > 0);
}
