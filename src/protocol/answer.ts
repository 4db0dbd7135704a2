import { encodeUtf8 } from '../bytes.ts';
import { excerptOf } from '../text.ts';
import { textOf } from './answer-envelope.ts';
import type { AnswerProblem } from './answer-problem.ts';
import { judge, problemOfMessage, type ResultFields, successCode } from './answer-verdict.ts';
import { type JsonReading, readJson } from './json.ts';
import { isJsonObject, type JsonObject, otherProperties, ownProperty } from './json-type.ts';
import { problemOfUnreadable, problemOfValue } from './not-json.ts';

export type { AnswerProblem, NotJsonReason } from './answer-problem.ts';
export { type ResultFields, successCode } from './answer-verdict.ts';

/** An answer, judged strictly and shown leniently. */
export interface AnswerReading<T> {
  /** Set exactly when the answer is right by section 4 and its `code` is "0000". */
  readonly result?: T;
  /** The `code` that stands there, a number as its digits. */
  readonly code?: string;
  /** The `message` that stands there, a number as its digits. */
  readonly message?: string;
  /** The first fault, the outermost first. */
  readonly problem?: AnswerProblem;
  /**
   * What is wrong with `message` (section 7 rule 1: every response carries it); never the
   * `problem`, since an answer is usable without it. Set for any JSON object.
   */
  readonly messageProblem?: AnswerProblem;
  /** Whether the body began with a byte order mark (EF BB BF). */
  readonly byteOrderMark: boolean;
  /** Names that stand twice in one object, at most ten; the last one was read. */
  readonly duplicateNames: readonly string[];
  /** What is odd but harmless, as sentences for people. */
  readonly notes: readonly string[];
  /** The values of the result that could be seen, also in a wrong or misplaced form. */
  readonly seen: Partial<Readonly<Record<keyof T & string, string>>>;
  /** Fields that the interface doesn't know, those of `result` as `result.NAME`. */
  readonly unknownFields: Readonly<Record<string, unknown>>;
  /** The JSON value of the body, where it is one. */
  readonly json?: unknown;
}

const envelope = ['code', 'message', 'result'];

/**
 * Reads an answer by sections 4 and 7. Without `fields` (registration complete) `result` is not
 * looked at. Never throws, whatever the bytes are.
 */
export function readAnswer<T extends object>(
  body: Uint8Array,
  fields: ResultFields<T> | undefined,
): AnswerReading<T> {
  const reading = readJson(body);
  if (!reading.ok) return unreadable(problemOfUnreadable(reading), marked(reading));
  if (isJsonObject(reading.value)) return readObject(reading.value, reading, fields);
  const json = reading.value;
  return { ...unreadable<T>(problemOfValue(json), marked(reading)), json };
}

/** An answer of `code` "0000" as JSON; `result` is left out where the operation has none. */
export function encodeSuccess(result: JsonObject | undefined, message: string): Uint8Array {
  return encodeUtf8(JSON.stringify({ code: successCode, message, result }));
}

/** An answer that refuses: any `code` but "0000", and the error text (section 4.2.2 rule 2). */
export function encodeNegativeAnswer(answer: {
  readonly code: string;
  readonly message: string;
}): Uint8Array {
  return encodeUtf8(JSON.stringify({ code: answer.code, message: answer.message }));
}

/**
 * A note where the HTTP status contradicts a body of success, or undefined. The body decides
 * (the interface shows no status codes); a refusal under status 200 contradicts nothing.
 */
export function statusNote(
  reading: Pick<AnswerReading<object>, 'code'>,
  status: number,
): string | undefined {
  if (reading.code !== successCode || (status >= 200 && status < 300)) return undefined;
  return `The body says success ("${successCode}") and the HTTP status says ${status}; the body decides.`;
}

function readObject<T extends object>(
  json: JsonObject,
  { byteOrderMark, duplicateNames, outerDuplicates }: Extract<JsonReading, { ok: true }>,
  fields: ResultFields<T> | undefined,
): AnswerReading<T> {
  const ambiguity = problemOfDuplicates(outerDuplicates, fields);
  const verdict = judge(json, fields);
  const { seen } = verdict;
  const problem = ambiguity ?? verdict.problem;
  const result = ambiguity === undefined ? verdict.result : undefined;
  const messageProblem = problemOfMessage(json);
  return {
    result,
    problem,
    messageProblem,
    seen,
    code: textOf(ownProperty(json, 'code')),
    message: textOf(ownProperty(json, 'message')),
    byteOrderMark,
    duplicateNames,
    notes: notesOf(byteOrderMark, ambiguity ? [] : duplicateNames, messageProblem),
    unknownFields: unknownFieldsOf(json, fields),
    json,
  };
}

/**
 * A field of the interface that stands twice says two things: RFC 8259 section 4 leaves open which
 * of them a reader takes, and readers differ. Of an unknown field it is a note.
 */
function problemOfDuplicates<T>(
  duplicates: ReadonlySet<string>,
  fields: ResultFields<T> | undefined,
): AnswerProblem | undefined {
  const own = Object.values<{ readonly name: string }>(fields ?? {});
  const names = [...envelope, ...own.map(({ name }) => `result.${name}`)];
  const twice = names.find((name) => duplicates.has(name));
  if (twice === undefined) return undefined;
  return { kind: 'not-json', reason: 'duplicate-name', detail: twice, near: '' };
}

function unreadable<T>(problem: AnswerProblem, byteOrderMark: boolean): AnswerReading<T> {
  const code = problem.kind === 'code-not-string' ? { code: problem.value } : {};
  const nothing = { duplicateNames: [], notes: [], seen: {}, unknownFields: {} };
  return { ...code, problem, byteOrderMark, ...nothing };
}

function marked(reading: JsonReading): boolean {
  return 'byteOrderMark' in reading && reading.byteOrderMark;
}

function unknownFieldsOf<T>(
  root: JsonObject,
  fields: ResultFields<T> | undefined,
): Readonly<Record<string, unknown>> {
  const result = ownProperty(root, 'result');
  if (fields === undefined || !isJsonObject(result)) return otherProperties(root, envelope);
  const known = Object.values<{ readonly name: string }>(fields).map(({ name }) => name);
  const inner = Object.entries(otherProperties(result, known));
  return Object.fromEntries([
    ...Object.entries(otherProperties(root, envelope)),
    ...inner.map(([name, value]): [string, unknown] => [`result.${name}`, value]),
  ]);
}

function notesOf(
  byteOrderMark: boolean,
  duplicateNames: readonly string[],
  messageProblem: AnswerProblem | undefined,
): readonly string[] {
  const notes: string[] = [];
  if (byteOrderMark) {
    notes.push(
      'The body begins with a byte order mark (EF BB BF), which some JSON readers refuse.',
    );
  }
  if (messageProblem?.kind === 'message-missing') {
    notes.push('The answer has no "message"; every answer should carry one, if only an empty one.');
  }
  if (messageProblem?.kind === 'field-type') {
    notes.push(`The answer's "message" is ${article(messageProblem.found)}, not a string.`);
  }
  for (const name of duplicateNames) {
    notes.push(
      `The field "${excerptOf(name, 60)}" stands twice; the last one was read, other readers may take the first.`,
    );
  }
  return notes;
}

function article(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
