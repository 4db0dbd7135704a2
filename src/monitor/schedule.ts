export interface ScheduleOptions {
  readonly everyMs: number;
  /** How many runs there are. */
  readonly times?: number | undefined;
}

export interface NextRun {
  readonly at: number;
  /** How many runs were left out because the one before took too long, or the machine slept. */
  readonly skipped: number;
}

/** When runs begin: the first at once, the others at multiples of the interval from there. */
export class Schedule {
  readonly #options: ScheduleOptions;
  #origin = 0;
  #tick = -1;
  #begun = 0;

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** The next run; undefined after the last. To be asked when the run before has ended. */
  next(now: number): NextRun | undefined {
    const { times = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#begun >= times) return undefined;
    this.#begun += 1;
    return this.#tick < 0 ? this.#first(now) : this.#following(now);
  }

  #first(now: number): NextRun {
    this.#origin = now;
    this.#tick = 0;
    return { at: now, skipped: 0 };
  }

  #following(now: number): NextRun {
    const { everyMs } = this.#options;
    const expected = this.#tick + 1;
    this.#tick = Math.max(expected, Math.ceil((now - this.#origin) / everyMs));
    // A clock that was set back must not stop the runs: none is further away than the interval.
    const at = Math.min(this.#origin + this.#tick * everyMs, now + everyMs);
    this.#origin = at - this.#tick * everyMs;
    return { at, skipped: this.#tick - expected };
  }
}
