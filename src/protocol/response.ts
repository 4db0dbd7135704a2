import { encodeUtf8 } from '../bytes.ts';
import { editDistance, excerptOf, ownProperty } from '../text.ts';
import {
  type BodyEncoding,
  isJsonObject,
  type JsonObject,
  type JsonReading,
  type JsonSyntaxFault,
  type JsonType,
  jsonTypeOf,
  otherProperties,
  parseJsonText,
  placeOf,
  readJson,
  type TextPlace,
} from './json.ts';

/** What a body is instead of a JSON object. */
export type NotJsonReason =
  | BodyEncoding
  | JsonSyntaxFault
  | 'duplicate-name'
  | 'array'
  | 'scalar'
  | 'json-in-json'
  | 'form-encoded'
  | 'xml'
  | 'leading-text'
  | 'plain-text';

/**
 * What is wrong with a response, as facts; `kind` is the diagnosis code that it leads to. Texts are
 * as they came (nothing escaped), at most a few dozen characters long, and long runs of letters
 * and digits in them, which may be secrets, are cut.
 */
export type ResponseProblem =
  | { readonly kind: 'empty-body'; readonly bytes: number }
  | {
      readonly kind: 'html-instead-of-json';
      /** The page's title or first heading, or its first text. */
      readonly title: string;
      /** JSON follows the HTML: a warning was printed before the response. */
      readonly jsonFollows: boolean;
    }
  | {
      readonly kind: 'not-json';
      readonly reason: NotJsonReason;
      /** What distinguishes this case within its reason, such as `gzip` or `UTF-16LE`; may be empty. */
      readonly detail: string;
      /** The text around the place, or the beginning; empty where there is no text. */
      readonly near: string;
      readonly place?: TextPlace;
    }
  | { readonly kind: 'byte-order-mark' }
  | {
      readonly kind: 'code-not-string';
      readonly found: JsonType;
      readonly value: string;
    }
  | { readonly kind: 'code-not-success'; readonly value: string; readonly message?: string }
  | { readonly kind: 'message-missing'; readonly foundAt?: string }
  | { readonly kind: 'result-missing'; readonly isNull: boolean }
  | {
      readonly kind: 'field-missing';
      readonly field: string;
      readonly present: readonly string[];
      /** The body is an error of a framework or a proxy, with these words. */
      readonly foreign?: string;
    }
  | { readonly kind: 'field-misplaced'; readonly field: string; readonly foundAt: string }
  | {
      readonly kind: 'field-type';
      readonly field: string;
      readonly expected: 'string' | 'object';
      readonly found: JsonType;
      readonly jsonInString: boolean;
    }
  | {
      readonly kind: 'field-malformed';
      readonly field: string;
      /** What the field should contain: "14 digits, yyyyMMddHH24miss". */
      readonly expected: string;
      /** What it contains, without any secret. */
      readonly observed: string;
    };

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
  readonly notes: readonly string[];
  /** The values of the result that could be seen, also in a wrong or misplaced form. */
  readonly seen: Partial<Readonly<Record<keyof T & string, string>>>;
  /** Fields that the interface doesn't know, those of `result` as `result.NAME`. */
  readonly unknownFields: Readonly<Record<string, unknown>>;
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
  const verdict = judge(json, fields);
  const isForeign =
    verdict.problem?.kind === 'field-missing' && verdict.problem.foreign !== undefined;
  const messageProblem = isForeign ? undefined : problemOfMessage(json);
  return {
    messageProblem,
    code: textOf(ownProperty(json, 'code')),
    message: textOf(ownProperty(json, 'message')),
    byteOrderMark,
    notes: notesOf(byteOrderMark, ambiguity ? [] : [...duplicateNames], messageProblem),
    unknownFields: unknownFieldsOf(json, fields),
    json,
    ...verdict,
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
  const twice = duplicateNames.slice(0, 10).map((name) => excerptOf(name, 60));
  return [
    ...(byteOrderMark ? [mark] : []),
    ...noteOfMessage(messageProblem),
    ...twice.map(
      (name) =>
        `The field "${name}" occurs twice; the last one was read, other readers may take the first.`,
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
function judge<T extends object>(
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
  const foreign = typeof code === 'string' ? undefined : foreignError(root);
  if (foreign !== undefined) return { ...absent(root, 'code'), foreign };
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

/** The members of errors that frameworks and platforms write by themselves: AWS, Spring, Nest, RFC 9457, Laravel … */
const foreignShapes = [
  ['errorMessage', 'errorType'],
  ['__type'],
  ['timestamp', 'status', 'error'],
  ['statusCode', 'message'],
  ['statusCode', 'error'],
  ['title', 'status'],
  ['message', 'exception'],
  ['message', 'errors'],
  ['status', 'error'],
  ['success', 'errors'],
  ['name', 'message', 'className'],
] as const;
/** Where those have their words. */
const foreignWords = ['detail', 'message', 'Message', 'errorMessage', 'title', 'error'] as const;

/** The words of a framework's or platform's own error; undefined for what may be a response of this interface. */
export function foreignError(root: JsonObject): string | undefined {
  const names = Object.keys(root);
  const { status = root.statusCode } = root;
  const isShape =
    foreignShapes.some((shape) => shape.every((name) => names.includes(name))) ||
    (foreignWords.some((name) => names[0] === name) && names.length === 1);
  // An application may call its code "status": that is not an HTTP status.
  if (!isShape || typeof status === 'string' || 'result' in root) return undefined;
  const words = foreignWords.map((name) => root[name]).find((value) => value !== undefined);
  return typeof words === 'string' ? words.slice(0, nearLength * 3) : '';
}

function problemOfMessage(root: JsonObject): ResponseProblem | undefined {
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
  const renamed = Object.keys(root).find(
    (name) => isJsonObject(root[name]) && isNearName(name, 'result', envelopeNames.result),
  );
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
  return absent(home, path);
}

function absent(home: JsonObject, field: string) {
  // its first names are enough of an aid
  return { kind: 'field-missing', field, present: Object.keys(home).slice(0, 8) } as const;
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
    // the errors of frameworks repeat the HTTP status as `status` or `statusCode`
    !(typeof value === 'number' && value >= 400 && value < 600) &&
    isNearName(nameIn(path), wanted.name, wanted.otherNames);
  return (
    all.find(({ path }) => nameIn(path) === wanted.name) ?? atHome.find(near) ?? all.find(near)
  );
}

/** A `field-type` problem of the value at a path. */
function wrongType(field: string, expected: 'string' | 'object', value: unknown): ResponseProblem {
  const jsonInString = typeof value === 'string' && isJsonObject(parseJsonText(value));
  return { kind: 'field-type', field, expected, found: jsonTypeOf(value), jsonInString };
}

/** A value as it is shown when it should have been a string: a number as its digits, no more. */
function textOf(value: unknown): string | undefined {
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
  const isJson = typeof value === 'string' && value.length < 65536 && /^\s*\{/.test(value);
  const object = isJson ? parseJsonText(value) : value;
  if (!isJsonObject(object)) return [];
  const prefix = path === '' ? '' : `${path}.`;
  return Object.keys(object)
    .slice(0, maxSearched)
    .map((name) => ({ path: `${prefix}${name}`, value: ownProperty(object, name) }));
}

/** The field's name without the usual variations: without case, underscores, dashes, dots and spaces. */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[\s._-]+/g, '');
}

/** Whether a name is likely a slip for the field: but for case and separators, one of the other names, or two edits away. */
export function isNearName(found: string, wanted: string, otherNames: readonly string[]): boolean {
  if (found.length > 64) return false;
  const left = normaliseName(found);
  const right = normaliseName(wanted);
  if (left === right) return true;
  if (otherNames.some((name) => normaliseName(name) === left)) return true;
  return right.length >= 6 && editDistance(left, right) <= 2;
}

type FailedReading = Extract<JsonReading, { ok: false }>;
type NotJson = Extract<ResponseProblem, { kind: 'not-json' }>;

/** How much text a problem carries, in UTF-16 code units. */
const nearLength = 60;
/** Only this much of a body is searched for what it may be instead of JSON. */
const searchedLength = 64 * 1024;

/** Names what a body is that could not be read as JSON. */
function problemOfUnreadable(reading: FailedReading): ResponseProblem {
  if (reading.reason === 'empty') return { kind: 'empty-body', bytes: reading.bytes };
  if (!('place' in reading)) {
    return notJson(reading.reason, reading.detail, excerptAround(reading.text ?? '', 0));
  }
  const { text, place } = reading;
  return (
    codeWithLeadingZeros(reading.reason, text, place) ??
    htmlIn(text) ??
    otherFormat(text) ??
    notJson(reading.reason, '', excerptAround(text, place.offset), place)
  );
}

/** The problem of a JSON value that isn't an object. */
function problemOfValue(value: unknown): NotJson {
  if (Array.isArray(value)) return notJson('array', `of ${value.length}`);
  if (typeof value === 'string' && isJsonObject(parseJsonText(value))) {
    return notJson('json-in-json', 'string', excerptAround(value, 0));
  }
  const near = typeof value === 'string' ? excerptAround(value, 0) : String(value);
  return notJson('scalar', jsonTypeOf(value), near);
}

function notJson(reason: NotJsonReason, detail = '', near = '', place?: TextPlace): NotJson {
  return { kind: 'not-json', reason, detail, near, ...(place && { place }) };
}

/** `"code": 0000` is not a JSON number either, but the mistake to report is that the code is not a string. */
function codeWithLeadingZeros(
  reason: string,
  text: string,
  { offset }: TextPlace,
): ResponseProblem | undefined {
  if (reason !== 'leading-zero') return undefined;
  if (!/"code"\s*:\s*$/.test(text.slice(Math.max(0, offset - 40), offset))) return undefined;
  const value = /^-?\d{1,20}/.exec(text.slice(offset, offset + 20))?.[0] ?? '';
  return { kind: 'code-not-string', found: 'number', value };
}

const htmlStart =
  /^(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|!--|(?:html|head|body|title|meta|h[1-6]|p|br|b|pre|div|span|center|script|style|table|font)\b)/i;

function htmlIn(text: string): ResponseProblem | undefined {
  const head = text.slice(0, searchedLength).trimStart();
  if (!htmlStart.test(head)) return undefined;
  const json = startOfClosingJson(text);
  const title = titleOf(json === undefined ? head : text.slice(0, json));
  return { kind: 'html-instead-of-json', title, jsonFollows: json !== undefined };
}

/** The title or first heading, else the first words between the tags. */
function titleOf(html: string): string {
  const start = html.search(/<(?:title|h1)\b[^<>]{0,200}>/i);
  const inner =
    start === -1 ? html : html.slice(start, start + 1000).replace(/<\/(?:title|h1)[\s\S]*$/i, '');
  const words = inner
    .slice(0, 4000)
    .replace(/<(?:style|script)\b[\s\S]{0,4000}?<\/(?:style|script)>/gi, ' ')
    .replace(/<[^<>]{0,1000}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return excerptAround(words, 0);
}

/** Where a JSON object begins that ends the text, behind something that is not JSON. */
function startOfClosingJson(text: string): number | undefined {
  if (!text.trimEnd().endsWith('}')) return undefined;
  let at = text.indexOf('{');
  for (let tries = 0; at !== -1 && at < searchedLength && tries < 20; tries += 1) {
    if (isJsonObject(parseJsonText(text.slice(at)))) return at;
    at = text.indexOf('{', at + 1);
  }
  return undefined;
}

function otherFormat(text: string): NotJson | undefined {
  const head = text.slice(0, searchedLength).trim();
  const near = excerptAround(head, 0);
  if (/^<[?a-z]/i.test(head)) return notJson('xml', '', near);
  if (/^[\w.%+[\]-]{1,64}=[^\s&{}"]{0,4096}(?:&|$)/.test(head))
    return notJson('form-encoded', '', near);
  const start = /^[{[]/.test(head) ? undefined : startOfClosingJson(text);
  if (start !== undefined) return notJson('leading-text', '', near, placeOf(text, start));
  if (/^[{["]/.test(head)) return undefined;
  return notJson('plain-text', '', near);
}

/** The text around an offset, with what may be a secret in it cut short. */
function excerptAround(text: string, offset: number): string {
  const wide = 2000; // a run is judged whole, also where it begins before the excerpt
  const from = Math.max(0, offset - wide);
  const before = hideRuns(text.slice(from, offset));
  const after = hideRuns(text.slice(offset, offset + wide));
  const lead = before.length > nearLength / 3 ? `…${before.slice(-nearLength / 3)}` : before;
  const room = nearLength - lead.length;
  return lead + (after.length > room ? `${after.slice(0, room)}…` : after);
}

/** Twenty or more letters and digits in a row are a token or a key more often than a word. */
function hideRuns(text: string): string {
  return text.replace(/[A-Za-z0-9+/=_.~%-]{20,}/g, (run) => `${run.slice(0, 4)}…`);
}
