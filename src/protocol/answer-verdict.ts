import {
  envelopeNames,
  fieldNames,
  findMisplaced,
  findRenamedResult,
  textOf,
  wrongType,
} from './answer-envelope.ts';
import type { AnswerProblem } from './answer-problem.ts';
import { isJsonObject, type JsonObject, jsonTypeOf, ownProperty } from './json-type.ts';

/** The `code` that means success (section 7 rule 2). */
export const successCode = '0000';

/** What a field of `result` is called and must hold. */
export interface ResultField {
  readonly name: string;
  /** Other names under which it turns up. */
  readonly otherNames: readonly string[];
  /** What is wrong with the text that stands there; undefined if nothing is. Never tells a secret. */
  readonly malformed?: (
    text: string,
  ) => { readonly expected: string; readonly observed: string } | undefined;
}

/** The fields of an operation's `result`, by the name of their property. */
export type ResultFields<T> = { readonly [P in keyof T & string]: ResultField };

/** What came out of judging an answer; `AnswerReading` says what each part means. */
export interface Verdict<T> {
  readonly result?: T;
  readonly problem?: AnswerProblem;
  readonly seen: Partial<Readonly<Record<keyof T & string, string>>>;
}

/**
 * Judges a JSON object by sections 4 and 7: `code` first, then `result`, then its fields in their
 * order. Without `fields` (registration complete) `result` is not looked at.
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

function problemOfCode(root: JsonObject): AnswerProblem | undefined {
  const code = ownProperty(root, 'code');
  if (code === undefined) return missing(root, root, 'code', 'code', envelopeNames.code);
  if (typeof code !== 'string') {
    const found = jsonTypeOf(code);
    return { kind: 'code-not-string', found, value: textOf(code) ?? found };
  }
  if (code === successCode) return undefined;
  return { kind: 'code-not-success', value: code, message: textOf(ownProperty(root, 'message')) };
}

/** What is wrong with `message`, if anything (section 7 rule 1). */
export function problemOfMessage(root: JsonObject): AnswerProblem | undefined {
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
): AnswerProblem | undefined {
  const result = ownProperty(root, 'result');
  if (isJsonObject(result)) return undefined;
  if (result !== undefined && result !== null) return wrongType('result', 'object', result);
  const renamed = findRenamedResult(root);
  if (renamed) return { kind: 'field-misplaced', field: 'result', foundAt: renamed.path };
  const misplaced = fields.find(({ problem }) => problem?.kind === 'field-misplaced');
  return misplaced?.problem ?? { kind: 'result-missing', isNull: result === null };
}

interface FieldReading {
  readonly text?: string;
  readonly problem?: AnswerProblem;
}

function readField(root: JsonObject, field: ResultField): FieldReading {
  const result = ownProperty(root, 'result');
  const home = isJsonObject(result) ? result : {};
  const value = ownProperty(home, field.name);
  const path = `result.${field.name}`;
  if (value === undefined) {
    const problem = missing(root, home, path, field.name, field.otherNames);
    const found = findMisplaced(root, { path, ...field });
    return { problem, text: textOf(found?.value) };
  }
  if (typeof value !== 'string') {
    return { text: textOf(value), problem: wrongType(path, 'string', value) };
  }
  const malformed = field.malformed?.(value);
  const problem = malformed && ({ kind: 'field-malformed', field: path, ...malformed } as const);
  return { text: value, problem };
}

function missing(
  root: JsonObject,
  home: JsonObject,
  path: string,
  name: string,
  otherNames: readonly string[],
): AnswerProblem {
  const found = findMisplaced(root, { path, name, otherNames });
  if (found) return { kind: 'field-misplaced', field: path, foundAt: found.path };
  return { kind: 'field-missing', field: path, present: fieldNames(home) };
}
