/** How much is kept. */
export interface KeptLimits {
  readonly count: number;
  /** Together, as `sizeOf` measures. */
  readonly bytes: number;
}

/** The latest of what comes: the oldest goes when there are too many, or too large ones. */
export class Kept<T> {
  readonly #limits: KeptLimits;
  readonly #sizeOf: (item: T) => number;
  #items: T[] = [];
  #bytes = 0;

  constructor(limits: KeptLimits, sizeOf: (item: T) => number) {
    this.#limits = limits;
    this.#sizeOf = sizeOf;
  }

  /** Oldest first. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** Keeps `item` in any case, however large it is. */
  add(item: T): void {
    this.#items.push(item);
    this.#bytes += this.#sizeOf(item);
    const { count, bytes } = this.#limits;
    while (this.#items.length > 1 && (this.#items.length > count || this.#bytes > bytes)) {
      const oldest = this.#items.shift();
      if (oldest !== undefined) this.#bytes -= this.#sizeOf(oldest);
    }
  }

  /** Forgets everything; how many there were. */
  clear(): number {
    this.#bytes = 0;
    return this.#items.splice(0).length;
  }
}
