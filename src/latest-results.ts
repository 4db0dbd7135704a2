/** A map that forgets the oldest names beyond `most`. */
export class Recent<Name, Value> extends Map<Name, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(name: Name, value: Value): this {
    super.set(name, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#most) break;
      this.delete(oldest);
    }
    return this;
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
