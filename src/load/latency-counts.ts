/**
 * Durations of a run, counted by size: every octave above 256 microseconds is cut into 256 parts, so
 * that a percentile is right to 0.4 per cent, in 25 KiB whatever the number of durations. The counts
 * are in shared memory: the thread that counts and the one that reads need no messages. (The
 * histogram of perf_hooks doesn't give its counts.)
 */
const partBits = 8;
const parts = 1 << partBits;
const octaves = 32 - partBits;
const slots = parts * (octaves + 1);

/** The longest duration that is distinguished: 71 minutes, in microseconds. */
const longestUs = 2 ** 32 - 1;

/** The memory of one set of counts. */
export function allocateLatencies(): SharedArrayBuffer {
  return new SharedArrayBuffer(slots * Uint32Array.BYTES_PER_ELEMENT);
}

/** One set of counts, over memory of {@link allocateLatencies}. */
export class LatencyCounts {
  readonly #counts: Uint32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#counts = new Uint32Array(memory);
  }

  /** Counts a duration in milliseconds. */
  record(ms: number): void {
    const slot = slotOf(Math.min(Math.max(Math.round(ms * 1000), 0), longestUs));
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
  }

  /** Adds these counts to `totals`, of the same length. */
  addTo(totals: Float64Array): void {
    for (let slot = 0; slot < slots; slot += 1) {
      totals[slot] = (totals[slot] ?? 0) + (this.#counts[slot] ?? 0);
    }
  }
}

/** The durations between two bounds. */
export interface LatencyBand {
  /** Milliseconds, exclusive. */
  readonly toMs: number;
  readonly count: number;
}

/** The durations of several threads together. */
export class Latencies {
  readonly #totals = new Float64Array(slots);

  constructor(sources: readonly LatencyCounts[]) {
    for (const source of sources) source.addTo(this.#totals);
  }

  get count(): number {
    return this.#totals.reduce((sum, count) => sum + count, 0);
  }

  /** The duration in milliseconds that `percent` of them don't exceed; 0 if there are none. */
  percentile(percent: number): number {
    const wanted = Math.max(1, Math.ceil((this.count * percent) / 100));
    let seen = 0;
    for (let slot = 0; slot < slots; slot += 1) {
      seen += this.#totals[slot] ?? 0;
      if (seen >= wanted) return (upperUs(slot) - 1) / 1000;
    }
    return 0;
  }

  /** The shortest, in milliseconds; 0 if there are none. */
  get min(): number {
    const slot = this.#totals.findIndex((count) => count > 0);
    return slot < 0 ? 0 : lowerUs(slot) / 1000;
  }

  /** The sum, as exactly as they were counted. */
  get sumMs(): number {
    return this.#totals.reduce(
      (sum, count, slot) => sum + (count * (lowerUs(slot) + upperUs(slot) - 1)) / 2000,
      0,
    );
  }

  /** How many there are in each of the bands between `bounds` (milliseconds, rising). */
  bands(bounds: readonly number[]): readonly LatencyBand[] {
    let slot = 0;
    return bounds.map((toMs) => {
      let count = 0;
      for (; slot < slots && lowerUs(slot) < toMs * 1000; slot += 1)
        count += this.#totals[slot] ?? 0;
      return { toMs, count };
    });
  }
}

function slotOf(us: number): number {
  const octave = 32 - partBits - Math.clz32(us); // how far the number goes beyond the parts
  return octave <= 0 ? us : octave * parts + ((us >>> (octave - 1)) & (parts - 1));
}

function lowerUs(slot: number): number {
  const octave = Math.floor(slot / parts);
  if (octave === 0) return slot;
  return (parts + (slot % parts)) * 2 ** (octave - 1);
}

function upperUs(slot: number): number {
  return slot < parts ? slot + 1 : lowerUs(slot) + 2 ** (Math.floor(slot / parts) - 1);
}
