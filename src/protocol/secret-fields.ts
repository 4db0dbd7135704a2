import { isJsonObject } from './json.ts';

/** Fields of the interface whose values are secret whatever they are (section 2.1). */
export const secretFieldNames: ReadonlySet<string> = new Set([
  'secret_key',
  'acs_token',
  'ptn_token',
]);

/**
 * The secrets of a JSON value by the names of their fields, at any depth: a peer may send a token as
 * a number, or in an array or object.
 */
export function secretTextsIn(value: unknown, names = secretFieldNames): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => secretTextsIn(item, names));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    names.has(name) ? textsIn(item) : secretTextsIn(item, names),
  );
}

/** Shorter numbers occur by chance: they are hidden only in their field. */
const numberFrom = 6;

/** A number is the text that JSON writes for it. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number')
    return [String(value)].filter(({ length }) => length >= numberFrom);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
