interface Limits {
  readonly count: number;
  /** Of all items together. */
  readonly bytes: number;
}

/** The latest items: the oldest is dropped when there are too many, or too many bytes. */
export class RecentItems<T> {
  readonly #limits: Limits;
  readonly #sizeOf: (item: T) => number;
  #items: T[] = [];
  #bytes = 0;

  constructor(limits: Limits, sizeOf: (item: T) => number) {
    this.#limits = limits;
    this.#sizeOf = sizeOf;
  }

  /** Oldest first. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** Retains `item` however large it is. */
  add(item: T): void {
    this.#items.push(item);
    this.#bytes += this.#sizeOf(item);
    const { count, bytes } = this.#limits;
    while (this.#items.length > 1 && (this.#items.length > count || this.#bytes > bytes)) {
      const oldest = this.#items.shift();
      if (oldest !== undefined) this.#bytes -= this.#sizeOf(oldest);
    }
  }

  /** Forgets everything; returns how many items there were. */
  clear(): number {
    this.#bytes = 0;
    return this.#items.splice(0).length;
  }
}
