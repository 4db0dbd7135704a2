/**
 * A map that forgets the oldest names beyond `most`; where sizes are given, each name is set once, and the oldest
 * are forgotten beyond `mostBytes` too, but for the latest.
 */
export class Recent<Name, Value> extends Map<Name, Value> {
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #bytesOf: (value: Value) => number;
  #bytes = 0;
  /** Goes on where it is: from the start, a map would step over all that it has forgotten. */
  #oldest = this.entries();

  constructor(most: number, mostBytes = 0, bytesOf: (value: Value) => number = () => 0) {
    super();
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.#bytesOf = bytesOf;
  }

  override set(name: Name, value: Value): this {
    super.set(name, value);
    this.#bytes += this.#bytesOf(value);
    while (this.#isOver) {
      const [oldest, dropped] = this.#oldest.next().value as [Name, Value];
      this.#bytes -= this.#bytesOf(dropped);
      this.delete(oldest);
    }
    return this;
  }

  get #isOver(): boolean {
    return this.size > this.#most || (this.#bytes > this.#mostBytes && this.size > 1);
  }

  override clear(): void {
    this.#bytes = 0;
    super.clear();
    this.#oldest = this.entries();
  }
}

/**
 * The same function, with its results for the latest `count` values kept: peers send one `public_key` again and
 * again, and one body is read by many. Values are compared as by `===`, so a body must not be changed in place.
 */
export function keepingLatest<Value, Result>(
  count: number,
  of: (value: Value) => Result,
): (value: Value) => Result {
  const results = new Recent<Value, { readonly result: Result }>(count);
  return (value) => {
    const known = results.get(value);
    if (known !== undefined) return known.result;
    const result = of(value);
    results.set(value, { result });
    return result;
  };
}
