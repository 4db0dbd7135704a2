/**
 * The same function, with its results for the latest `count` values kept: peers send one `public_key` again and
 * again, and one body is read by many. Values are compared as by `===`, so a body must not be changed in place.
 */
export function keepingLatest<Value, Result>(
  count: number,
  of: (value: Value) => Result,
): (value: Value) => Result {
  const results = new Map<Value, { readonly result: Result }>();
  return (value) => {
    const known = results.get(value);
    if (known !== undefined) return known.result;
    const result = of(value);
    if (results.size >= count)
      for (const oldest of results.keys()) {
        results.delete(oldest);
        break;
      }
    results.set(value, { result });
    return result;
  };
}
