import { encodeUtf8 } from '../bytes.ts';
import { excerptOf, ownProperty } from '../text.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonReading,
  otherProperties,
  readJson,
} from './json.ts';
import {
  judge,
  problemOfMessage,
  type ResultFields,
  successCode,
  textOf,
} from './response-fields.ts';
import { problemOfUnreadable, problemOfValue, type ResponseProblem } from './response-problem.ts';

export { type ResultFields, successCode } from './response-fields.ts';
export type { NotJsonReason, ResponseProblem } from './response-problem.ts';

/** A response, judged strictly and shown leniently. */
export interface ResponseReading<T> {
  /** Set exactly when the response is right by section 4 and its `code` is "0000". */
  readonly result?: T;
  /** The `code` found, a number as its digits. */
  readonly code?: string;
  /** The `message` found, a number as its digits. */
  readonly message?: string;
  /** The first fault, the outermost first. */
  readonly problem?: ResponseProblem;
  /**
   * What is wrong with `message` (section 7 rule 1: every response carries it); never the
   * `problem`, since a response is usable without it. Set for any JSON object.
   */
  readonly messageProblem?: ResponseProblem;
  /** Whether the body began with a byte order mark (EF BB BF). */
  readonly byteOrderMark: boolean;
  /** What is odd but harmless, as sentences. */
  readonly notes: readonly string[];
  /** The values of the result that could be seen, also in a wrong or misplaced form. */
  readonly seen: Partial<Readonly<Record<keyof T & string, string>>>;
  /** Fields that the interface doesn't know, those of `result` as `result.NAME`. */
  readonly unknownFields: Readonly<Record<string, unknown>>;
  /** The JSON value of the body, if it is one. */
  readonly json?: unknown;
}

const envelope = ['code', 'message', 'result'];

/**
 * Reads a response by sections 4 and 7. Without `fields` (registration complete) `result` is not
 * read. Never throws, whatever the bytes are.
 */
export function readResponse<T extends object>(
  body: Uint8Array,
  fields: ResultFields<T> | undefined,
): ResponseReading<T> {
  const reading = readJson(body);
  if (!reading.ok) return unreadable(problemOfUnreadable(reading), marked(reading));
  if (isJsonObject(reading.value)) return readObject(reading.value, reading, fields);
  const json = reading.value;
  return { ...unreadable<T>(problemOfValue(json), marked(reading)), json };
}

/** A response of `code` "0000" as JSON; `result` is left out where the operation has none. */
export function encodeSuccess(result: JsonObject | undefined, message: string): Uint8Array {
  return encodeUtf8(JSON.stringify({ code: successCode, message, result }));
}

/** A negative response: any `code` but "0000", and the error text (section 4.2.2 rule 2). */
export function encodeNegativeResponse(response: {
  readonly code: string;
  readonly message: string;
}): Uint8Array {
  return encodeUtf8(JSON.stringify({ code: response.code, message: response.message }));
}

/**
 * A note where the HTTP status contradicts a body of success, or undefined. The body decides
 * (the interface shows no status codes); a refusal under status 200 contradicts nothing.
 */
export function statusNote(
  reading: Pick<ResponseReading<object>, 'code'>,
  status: number,
): string | undefined {
  if (reading.code !== successCode || (status >= 200 && status < 300)) return undefined;
  return `The body reports success ("${successCode}") but the HTTP status is ${status}; the body decides.`;
}

function readObject<T extends object>(
  json: JsonObject,
  { byteOrderMark, duplicateNames }: Extract<JsonReading, { ok: true }>,
  fields: ResultFields<T> | undefined,
): ResponseReading<T> {
  const ambiguity = problemOfDuplicates(duplicateNames, fields);
  const messageProblem = problemOfMessage(json);
  return {
    messageProblem,
    code: textOf(ownProperty(json, 'code')),
    message: textOf(ownProperty(json, 'message')),
    byteOrderMark,
    notes: notesOf(byteOrderMark, ambiguity ? [] : [...duplicateNames], messageProblem),
    unknownFields: unknownFieldsOf(json, fields),
    json,
    ...judge(json, fields),
    ...(ambiguity && { result: undefined, problem: ambiguity }),
  };
}

/**
 * A field of the interface that occurs twice is ambiguous: RFC 8259 section 4 leaves open which
 * value a reader takes, and readers differ. Of an unknown field it is a note.
 */
function problemOfDuplicates<T>(
  duplicates: ReadonlySet<string>,
  fields: ResultFields<T> | undefined,
): ResponseProblem | undefined {
  const names = [...envelope, ...namesOf(fields ?? {}).map((name) => `result.${name}`)];
  const twice = names.find((name) => duplicates.has(name));
  if (twice === undefined) return undefined;
  return { kind: 'not-json', reason: 'duplicate-name', detail: twice, near: '' };
}

function namesOf(fields: object): readonly string[] {
  return Object.values<{ readonly name: string }>({ ...fields }).map(({ name }) => name);
}

function unreadable<T>(problem: ResponseProblem, byteOrderMark: boolean): ResponseReading<T> {
  const code = problem.kind === 'code-not-string' ? { code: problem.value } : {};
  return { ...code, problem, byteOrderMark, notes: [], seen: {}, unknownFields: {} };
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
  const inner = Object.entries(otherProperties(result, namesOf(fields)));
  return {
    ...otherProperties(root, envelope),
    ...Object.fromEntries(inner.map(([name, value]) => [`result.${name}`, value])),
  };
}

function notesOf(
  byteOrderMark: boolean,
  duplicateNames: readonly string[],
  messageProblem: ResponseProblem | undefined,
): readonly string[] {
  const mark = 'The body begins with a byte order mark (EF BB BF), which some JSON readers refuse.';
  return [
    ...(byteOrderMark ? [mark] : []),
    ...noteOfMessage(messageProblem),
    ...duplicateNames
      .slice(0, 10)
      .map(
        (name) =>
          `The field "${excerptOf(name, 60)}" occurs twice; the last one was read, other readers may take the first.`,
      ),
  ];
}

function noteOfMessage(problem: ResponseProblem | undefined): readonly string[] {
  if (problem?.kind === 'message-missing')
    return ['The response has no "message"; every response should carry one, even an empty one.'];
  if (problem?.kind !== 'field-type') return [];
  const { found } = problem;
  const type = found === 'null' ? found : `${/^[aeiou]/.test(found) ? 'an' : 'a'} ${found}`;
  return [`The "message" of the response is ${type}, not a string.`];
}
