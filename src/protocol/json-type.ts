/** The kinds of value that JSON knows (RFC 8259 section 3). */
export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** An object as JSON.parse makes it; only its own properties are ever looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What kind of JSON value this is; the value must have come out of JSON. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

/** Whether this is a JSON object (no array, not null). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own property of that name, or undefined: a name such as `constructor` finds nothing. */
export function ownProperty(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The object's properties other than the named ones; `__proto__` is a name like any other here. */
export function otherProperties(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
