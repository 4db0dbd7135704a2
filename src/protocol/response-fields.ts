import { editDistance, ownProperty } from '../text.ts';
import { isJsonObject, type JsonObject, jsonTypeOf, parseJsonText } from './json.ts';
import type { ResponseReading } from './response.ts';
import type { ResponseProblem } from './response-problem.ts';

/** The `code` that means success (section 7 rule 2). */
export const successCode = '0000';

/** What a field of `result` is called and must contain. */
interface ResultField {
  readonly name: string;
  /** Other names under which it turns up. */
  readonly otherNames: readonly string[];
  /** What is wrong with the field's text, without revealing it; undefined if nothing is. */
  readonly malformed?: (
    text: string,
  ) => { readonly expected: string; readonly observed: string } | undefined;
}

/** The fields of an operation's `result`, by the name of their property. */
export type ResultFields<T> = { readonly [P in keyof T & string]: ResultField };

type Verdict<T> = Pick<ResponseReading<T>, 'result' | 'problem' | 'seen'>;

/**
 * Judges a JSON object by sections 4 and 7: `code` first, then `result`, then its fields in their
 * order. Without `fields` (registration complete) `result` is not read.
 */
export function judge<T extends object>(
  root: JsonObject,
  fields: ResultFields<T> | undefined,
): Verdict<T> {
  const problem = problemOfCode(root);
  // Section 4.2.2 rule 2: when the code is not "0000", result is not used.
  if (problem?.kind === 'code-not-success') return { problem, seen: {} };
  if (fields === undefined) return problem ? { problem, seen: {} } : { result: {} as T, seen: {} };
  const verdict = judgeResult(root, fields);
  return problem ? { problem, seen: verdict.seen } : verdict;
}

function problemOfCode(root: JsonObject): ResponseProblem | undefined {
  const code = ownProperty(root, 'code');
  if (code === undefined) {
    const wanted = { path: 'code', name: 'code', otherNames: envelopeNames.code };
    return missing(root, 'code', findMisplaced(root, wanted));
  }
  if (typeof code !== 'string') {
    const found = jsonTypeOf(code);
    return { kind: 'code-not-string', found, value: textOf(code) ?? found };
  }
  if (code === successCode) return undefined;
  return { kind: 'code-not-success', value: code, message: textOf(ownProperty(root, 'message')) };
}

/** Section 7 rule 1. */
export function problemOfMessage(root: JsonObject): ResponseProblem | undefined {
  const message = ownProperty(root, 'message');
  if (typeof message === 'string') return undefined;
  if (message !== undefined) return wrongType('message', 'string', message);
  const wanted = { path: 'message', name: 'message', otherNames: envelopeNames.message };
  const found = findMisplaced(root, wanted);
  return { kind: 'message-missing', ...(found && { foundAt: found.path }) };
}

function judgeResult<T extends object>(root: JsonObject, fields: ResultFields<T>): Verdict<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const read = names.map((property) => ({ property, ...readField(root, fields[property]) }));
  const seen = Object.fromEntries(
    read.flatMap(({ property, text }) => (text === undefined ? [] : [[property, text]])),
  ) as Verdict<T>['seen'];
  const problem = problemOfResult(root, read) ?? read.find((field) => field.problem)?.problem;
  return problem ? { problem, seen } : { result: seen as unknown as T, seen };
}

/** What is wrong with `result` itself, before any of its fields is blamed. */
function problemOfResult(
  root: JsonObject,
  fields: readonly FieldReading[],
): ResponseProblem | undefined {
  const result = ownProperty(root, 'result');
  if (isJsonObject(result)) return undefined;
  if (result !== undefined && result !== null) return wrongType('result', 'object', result);
  const renamed = findRenamedResult(root);
  if (renamed) return { kind: 'field-misplaced', field: 'result', foundAt: renamed };
  const misplaced = fields.find(({ problem }) => problem?.kind === 'field-misplaced');
  return misplaced?.problem ?? { kind: 'result-missing', isNull: result === null };
}

interface FieldReading {
  readonly text?: string;
  readonly problem?: ResponseProblem;
}

function readField(root: JsonObject, field: ResultField): FieldReading {
  const result = ownProperty(root, 'result');
  const home = isJsonObject(result) ? result : {};
  const value = ownProperty(home, field.name);
  const path = `result.${field.name}`;
  if (value === undefined) {
    const found = findMisplaced(root, { path, ...field });
    return { problem: missing(home, path, found), text: textOf(found?.value) };
  }
  if (typeof value !== 'string') {
    return { text: textOf(value), problem: wrongType(path, 'string', value) };
  }
  const malformed = field.malformed?.(value);
  const problem = malformed && ({ kind: 'field-malformed', field: path, ...malformed } as const);
  return { text: value, problem };
}

/** The problem of a field that is absent from the object where it belongs, and perhaps elsewhere. */
function missing(home: JsonObject, path: string, found: Found | undefined): ResponseProblem {
  if (found) return { kind: 'field-misplaced', field: path, foundAt: found.path };
  // its first names are enough of an aid
  return { kind: 'field-missing', field: path, present: Object.keys(home).slice(0, 8) };
}

interface Found {
  /** Such as "result.enc_partner_key". */
  readonly path: string;
  readonly value: unknown;
}

/** Other names under which the common fields turn up. */
const envelopeNames = {
  code: [
    ...['resultCode', 'resCode', 'rtnCode', 'retCode', 'returnCode', 'respCode', 'responseCode'],
    ...['statusCode', 'errorCode', 'errCode', 'cd', 'status'],
  ],
  message: ['msg', 'resultMessage', 'resultMsg', 'errorMessage', 'errMsg', 'error', 'description'],
  result: ['data', 'payload', 'results', 'resultData', 'response', 'res', 'body'],
} as const;

const maxSearched = 500;

/**
 * Finds a field that is not where it belongs: under its own name at another level
 * first, then under a near name, in the object where it belongs before elsewhere.
 */
function findMisplaced(
  root: JsonObject,
  wanted: { readonly path: string; readonly name: string; readonly otherNames: readonly string[] },
): Found | undefined {
  const home = wanted.path.includes('.') ? 'result.' : '';
  const all = propertiesOf(root).filter(({ path }) => path !== wanted.path);
  const atHome = all.filter(({ path }) => path === `${home}${nameIn(path)}`);
  const near = ({ path, value }: Found): boolean =>
    textOf(value) !== undefined &&
    !isHttpStatus(value) &&
    isNearName(nameIn(path), wanted.name, wanted.otherNames);
  return (
    all.find(({ path }) => nameIn(path) === wanted.name) ?? atHome.find(near) ?? all.find(near)
  );
}

/** The HTTP status of an error, which the frameworks' own errors repeat as `status` or `statusCode`. */
function isHttpStatus(value: unknown): boolean {
  return typeof value === 'number' && value >= 400 && value < 600;
}

/** The name of an object at the top that is near to `result`. */
function findRenamedResult(root: JsonObject): string | undefined {
  return Object.keys(root).find(
    (name) => isJsonObject(root[name]) && isNearName(name, 'result', envelopeNames.result),
  );
}

/** A `field-type` problem of the value at a path. */
function wrongType(field: string, expected: 'string' | 'object', value: unknown): ResponseProblem {
  const jsonInString = typeof value === 'string' && isJsonObject(parseJsonText(value));
  return { kind: 'field-type', field, expected, found: jsonTypeOf(value), jsonInString };
}

/** A value as it is shown when it should have been a string: a number as its digits, no more. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
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

/** The field's name without the usual variations: without case, underscores, dashes, dots and spaces. */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[\s._-]+/g, '');
}

/**
 * Whether a name found is likely a slip for the field expected: the same but for case and
 * separators, one of the known other names, or (for names of at least six letters) at most two
 * edits away.
 */
export function isNearName(found: string, wanted: string, otherNames: readonly string[]): boolean {
  if (found.length > 64) return false;
  const left = normaliseName(found);
  const right = normaliseName(wanted);
  if (left === right) return true;
  if (otherNames.some((name) => normaliseName(name) === left)) return true;
  return right.length >= 6 && editDistance(left, right) <= 2;
}
