/** What changed `changes` times in `runs` runs is flapping, and has settled once it stayed the same for `settled` more. */
export const flapping = { changes: 5, runs: 10, settled: 5 } as const;

/** The latest results of one check, or of the endpoint: whether they go back and forth. */
export class Flapping {
  #value: string | undefined;
  #seen = 0;
  /** For each of the latest runs, whether its result differed from the one before; the newest is bit 0. */
  #differences = 0;
  #isFlapping = false;

  /** Takes the result of the next run. */
  observe(value: string): 'began' | 'ended' | undefined {
    const differs = this.#value !== undefined && this.#value !== value;
    this.#value = value;
    this.#seen += 1;
    this.#differences = ((this.#differences << 1) | (differs ? 1 : 0)) & (2 ** flapping.runs - 1);
    if (!this.#isFlapping && this.changes >= flapping.changes) {
      this.#isFlapping = true;
      return 'began';
    }
    const isSteady = (this.#differences & (2 ** flapping.settled - 1)) === 0;
    if (!this.#isFlapping || !isSteady) return undefined;
    this.#isFlapping = false;
    this.#differences = 0;
    return 'ended';
  }

  get isFlapping(): boolean {
    return this.#isFlapping;
  }

  /** In the latest runs. */
  get changes(): number {
    return this.#differences.toString(2).replaceAll('0', '').length;
  }

  /** How many runs `changes` is of. */
  get runs(): number {
    return Math.min(this.#seen, flapping.runs);
  }
}
