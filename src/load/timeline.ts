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
