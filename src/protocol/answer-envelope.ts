import type { AnswerProblem } from './answer-problem.ts';
import { isNearName } from './field-names.ts';
import { parseJsonText } from './json.ts';
import { isJsonObject, type JsonObject, jsonTypeOf, ownProperty } from './json-type.ts';

/** A value found somewhere in an answer, and the path to it ("result.enc_partner_key"). */
export interface Found {
  readonly path: string;
  readonly value: unknown;
}

/** Other names under which the common fields turn up. */
export const envelopeNames = {
  code: [
    'resultCode',
    'resCode',
    'rtnCode',
    'retCode',
    'returnCode',
    'respCode',
    'responseCode',
    'statusCode',
    'errorCode',
    'errCode',
    'cd',
    'status',
  ],
  message: ['msg', 'resultMessage', 'resultMsg', 'errorMessage', 'errMsg', 'error', 'description'],
  result: ['data', 'payload', 'results', 'resultData', 'response', 'res', 'body'],
} as const;

/** An answer with this many properties is not searched further. */
const maxSearched = 500;

/**
 * Looks for a field that does not stand where it should: under its own name at another level
 * first, then under a near name, in the object where it belongs before elsewhere.
 */
export function findMisplaced(
  root: JsonObject,
  wanted: { readonly path: string; readonly name: string; readonly otherNames: readonly string[] },
): Found | undefined {
  const home = wanted.path.includes('.') ? 'result.' : '';
  const all = propertiesOf(root).filter(({ path }) => path !== wanted.path);
  const homely = all.filter(({ path }) => path === `${home}${nameIn(path)}`);
  const near = ({ path, value }: Found): boolean =>
    isScalarText(value) && isNearName(nameIn(path), wanted.name, wanted.otherNames);
  return (
    all.find(({ path }) => nameIn(path) === wanted.name) ?? homely.find(near) ?? all.find(near)
  );
}

/** The object that stands at the top under a near name of `result`. */
export function findRenamedResult(root: JsonObject): Found | undefined {
  const entries = Object.entries(root).map(([path, value]) => ({ path, value }));
  return entries.find(
    ({ path, value }) => isJsonObject(value) && isNearName(path, 'result', envelopeNames.result),
  );
}

/** A `field-type` problem of the value at a path. */
export function wrongType(
  field: string,
  expected: 'string' | 'object',
  value: unknown,
): AnswerProblem {
  const jsonInString = typeof value === 'string' && isJsonObject(parseJsonText(value));
  return { kind: 'field-type', field, expected, found: jsonTypeOf(value), jsonInString };
}

/** A value as it is shown when it should have been a string: a number as its digits, no more. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}

/** The names of an object's fields, as an aid in a message: at most eight. */
export function fieldNames(object: JsonObject): readonly string[] {
  return Object.keys(object).slice(0, 8);
}

function isScalarText(value: unknown): boolean {
  return textOf(value) !== undefined;
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** The properties of the object and of the objects in it, two levels down, also of JSON in strings. */
function propertiesOf(root: JsonObject): readonly Found[] {
  const found: Found[] = [];
  let level: Found[] = [{ path: '', value: root }];
  for (let depth = 0; depth < 3; depth += 1) {
    level = level.flatMap(({ path, value }) => childrenOf(path, value)).slice(0, maxSearched);
    found.push(...level);
  }
  return found;
}

function childrenOf(path: string, value: unknown): Found[] {
  const object = typeof value === 'string' ? objectInString(value) : value;
  if (!isJsonObject(object)) return [];
  const prefix = path === '' ? '' : `${path}.`;
  return Object.keys(object)
    .slice(0, maxSearched)
    .map((name) => ({ path: `${prefix}${name}`, value: ownProperty(object, name) }));
}

function objectInString(text: string): unknown {
  return text.length < 65536 && text.trimStart().startsWith('{') ? parseJsonText(text) : undefined;
}
