/** A range of turns at the same time, and where it begins. */
export interface TurnLimits {
  readonly fewest: number;
  readonly first: number;
  readonly most: number;
}

/** Work that takes up to this many times the quickest is not slowed down by what runs beside it. */
const unhurt = 2;
/** Above this, what runs at the same time takes more processor or memory than there is. */
const slowed = 4;

/**
 * A semaphore, first come first served, whose size follows the load: commands that mostly wait get more
 * turns, and those that slow each other down get fewer, lest their time limits run out.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #taken = 0;
  #quickestMs = Number.POSITIVE_INFINITY;

  /** @param now milliseconds */
  constructor(limits: TurnLimits, now: () => number) {
    this.#limits = limits;
    this.#limit = limits.first;
    this.#now = now;
  }

  /** Resolves with the function that ends the turn. */
  async take(): Promise<() => void> {
    if (this.#taken < this.#limit) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const startedAt = this.#now();
    return () => this.#leave(this.#now() - startedAt);
  }

  #leave(durationMs: number): void {
    this.#adapt(durationMs);
    this.#taken -= 1;
    for (const next of this.#waiting.splice(0, this.#limit - this.#taken)) {
      this.#taken += 1;
      next();
    }
  }

  #adapt(durationMs: number): void {
    const { fewest, most } = this.#limits;
    this.#quickestMs = Math.min(this.#quickestMs, durationMs);
    if (durationMs <= unhurt * this.#quickestMs) this.#limit = Math.min(most, this.#limit + 1);
    if (durationMs > slowed * this.#quickestMs) this.#limit = Math.max(fewest, this.#limit - 1);
  }
}
