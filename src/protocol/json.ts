import { decodeUtf8, decodeUtf16, encodeHex } from '../bytes.ts';
import { keepingLatest } from '../latest-results.ts';
import { ownProperty } from '../text.ts';

/** A place in a text: the offset in UTF-16 code units from 0, line and column from 1. */
export interface TextPlace {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** What a body that should be JSON turned out to be. */
export type JsonReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly byteOrderMark: boolean;
      /** As {@link scanJson} finds them. */
      readonly duplicateNames: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly reason: 'empty'; readonly bytes: number }
  | ({ readonly ok: false } & EncodingFinding)
  | {
      readonly ok: false;
      readonly reason: JsonSyntaxFault;
      readonly text: string;
      readonly place: TextPlace;
      readonly byteOrderMark: boolean;
    };

/**
 * Reads a body as JSON in UTF-8 (RFC 8259 section 8.1). A byte order mark is left out and
 * reported. Never throws: anything else comes back with its reason, and JSON nested
 * deeper than `maxJsonDepth` is refused like a syntax fault. What was read of the latest bodies is kept.
 */
export const readJson = keepingLatest(8, (body: Uint8Array): JsonReading => {
  // bytes that aren't UTF-8 always have an encoding below, so the text after it is theirs
  const decoded = decodeUtf8(body) ?? '\0';
  // UTF-16 of ASCII is UTF-8 too, with NULs that no JSON contains
  const encoding = decoded.includes('\0') ? encodingOf(body) : undefined;
  if (encoding !== undefined) return { ok: false, ...encoding };
  const byteOrderMark = decoded.startsWith('\ufeff');
  const text = byteOrderMark ? decoded.slice(1) : decoded;
  if (/^[\s\0]*$/.test(text)) return { ok: false, reason: 'empty', bytes: body.length };
  return readJsonText(text, byteOrderMark);
});

/** Line and column of an offset (in UTF-16 code units). */
export function placeOf(text: string, offset: number): TextPlace {
  const lines = text.slice(0, offset).split('\n');
  return { offset, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** The value of a JSON text, or undefined where it is not JSON or nested too deep. */
export function parseJsonText(text: string): unknown {
  const reading = readJsonText(text, false);
  return reading.ok ? reading.value : undefined;
}

function readJsonText(text: string, byteOrderMark: boolean): JsonReading {
  const { fault, duplicateNames } = scanJson(text);
  if (fault !== undefined) {
    const place = placeOf(text, fault.offset);
    return { ok: false, reason: fault.reason, text, place, byteOrderMark };
  }
  const value: unknown = JSON.parse(text);
  return { ok: true, value, byteOrderMark, duplicateNames };
}

export type BodyEncoding = 'utf-16' | 'compressed' | 'invalid-utf-8';

/** What the bytes are instead of UTF-8 text, how it shows, and their text where it can be read. */
interface EncodingFinding {
  readonly reason: BodyEncoding;
  readonly detail: string;
  readonly text?: string;
}

/** A longer text is not decoded for showing. */
const maxShownBytes = 64 * 1024;

/** Says what bytes are that a UTF-8 reader of JSON can't take; undefined for UTF-8 text. */
function encodingOf(body: Uint8Array): EncodingFinding | undefined {
  const head = encodeHex(body.subarray(0, 4)).padEnd(8, 'x');
  // RFC 4627 section 3: the first two characters of a JSON text are ASCII, which has zeros in UTF-16
  const isBig = /^(?:feff|00(?!00)..00(?!00))/.test(head);
  if (isBig || /^(?:fffe|(?!00)..00(?!00)..00)/.test(head)) {
    const shown = decodeUtf16(body.subarray(0, maxShownBytes), isBig ? 'big' : 'little');
    const mark = /^(?:feff|fffe)/.test(head) ? ' with a byte order mark' : '';
    const detail = `${isBig ? 'UTF-16BE' : 'UTF-16LE'}${mark}`;
    return { reason: 'utf-16', detail, text: shown.replace(/^\ufeff/, '') };
  }
  if (decodeUtf8(body) !== undefined) return undefined;
  if (head.startsWith('1f8b')) return { reason: 'compressed', detail: 'gzip' }; // RFC 1952 2.3.1
  const lenient = Buffer.from(body).toString('utf8');
  const at = Buffer.byteLength(lenient.slice(0, lenient.indexOf('\ufffd')));
  const detail = `byte 0x${encodeHex(body.subarray(at, at + 1))} at offset ${at}`;
  return { reason: 'invalid-utf-8', detail, text: lenient.slice(0, maxShownBytes) };
}

/** The kinds of value that JSON knows (RFC 8259 section 3). */
export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** An object as JSON.parse makes it; only its own properties are read. */
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

/** The text of that name in a JSON object; undefined for any other value. */
export function textIn(object: unknown, name: string): string | undefined {
  const value = isJsonObject(object) ? ownProperty(object, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The object that a body is; undefined for any other body. */
export function objectIn(body: Uint8Array): JsonObject | undefined {
  const reading = readJson(body);
  return reading.ok && isJsonObject(reading.value) ? reading.value : undefined;
}

/** The object's properties other than the named ones; `__proto__` is a name like any other here. */
export function otherProperties(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** The deepest nesting that is read; readers in use stop between 64 (.NET) and 1,000 (Jackson). */
export const maxJsonDepth = 1000;

export type JsonSyntaxFault =
  | 'truncated'
  | 'trailing-text'
  | 'single-quotes'
  | 'literal'
  | 'leading-zero'
  | 'control-character'
  | 'too-deep'
  | 'unexpected';

/** Where a text stops being JSON: an offset in UTF-16 code units. */
interface JsonFault {
  readonly reason: JsonSyntaxFault;
  readonly offset: number;
}

/**
 * Walks a text by the grammar of RFC 8259, without recursion and in one pass. The platform's parser decides whether it is
 * JSON; this scan explains its refusal in words that don't change with the platform, and sees repeated names: those
 * that occur more than once in the object at the top, or in one that it contains, with their path.
 */
export function scanJson(text: string) {
  const duplicateNames = new Set<string>();
  return { fault: walk(text, duplicateNames), duplicateNames };
}

/** An array or object that has begun. */
interface Frame {
  readonly names: Set<string> | undefined;
  name: string;
}

type Expected =
  | 'value'
  | 'value-or-end'
  | 'name'
  | 'name-or-end'
  | 'colon'
  | 'comma-or-end'
  | 'end';

/** Each round reads one token; what may come next follows from it, and from what it is in. Returns the first fault. */
function walk(text: string, duplicateNames: Set<string>): JsonFault | undefined {
  const frames: Frame[] = [];
  let expected: Expected = 'value';
  let at = endOf(whiteSpace, text, 0);
  for (; at < text.length; at = endOf(whiteSpace, text, at)) {
    const character = text[at] ?? '';
    const frame = frames.at(-1);
    if (expected === 'end') return { reason: 'trailing-text', offset: at };
    if (expected.endsWith('or-end') && character === (frame?.names ? '}' : ']')) {
      frames.pop();
      at += 1;
      expected = frames.length === 0 ? 'end' : 'comma-or-end';
    } else if (expected === 'colon' || expected === 'comma-or-end') {
      if (character !== (expected === 'colon' ? ':' : ','))
        return { reason: 'unexpected', offset: at };
      at += 1;
      expected = expected === 'colon' || frame?.names === undefined ? 'value' : 'name';
    } else if (expected === 'name' || expected === 'name-or-end') {
      const end = character === '"' ? endOfString(text, at) : strange(character, at);
      if (typeof end !== 'number') return end;
      noteName(frames, textOfString(text.slice(at, end)), duplicateNames);
      at = end;
      expected = 'colon';
    } else if (character === '{' || character === '[') {
      if (frames.length === maxJsonDepth) return { reason: 'too-deep', offset: at };
      frames.push({ names: character === '{' ? new Set() : undefined, name: '' });
      at += 1;
      expected = character === '{' ? 'name-or-end' : 'value-or-end';
    } else {
      const end = character === '"' ? endOfString(text, at) : endOfScalar(text, at);
      if (typeof end !== 'number') return end;
      at = end;
      expected = frames.length === 0 ? 'end' : 'comma-or-end';
    }
  }
  return expected === 'end' ? undefined : { reason: 'truncated', offset: at };
}

function noteName(frames: readonly Frame[], name: string, duplicateNames: Set<string>): void {
  const frame = frames.at(-1);
  if (frame?.names === undefined) return;
  if (frame.names.has(name) && frames.length <= 2) {
    const outer = frames.slice(0, -1).map((each) => each.name || '[]');
    duplicateNames.add([...outer, name].join('.'));
  }
  frame.names.add(name);
  frame.name = name;
}

/** RFC 8259 section 2: nothing else. */
const whiteSpace = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[\p{L}_$][\p{L}\p{N}_$]{0,63}/uy;
const literals = ['true', 'false', 'null'];
const escapeSequence = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;
const plainCharacters = /[^"\\\p{Cc}]*/uy;

function endOfScalar(text: string, start: number): number | JsonFault {
  const end = endOf(number, text, start);
  if (end > start)
    return /\d/.test(text[end] ?? '') ? { reason: 'leading-zero', offset: start } : end;
  const wordEnd = endOf(word, text, start);
  const token = text.slice(start, wordEnd);
  if (literals.includes(token)) return wordEnd;
  if (token === '') return strange(text[start] ?? '', start);
  const isCut = wordEnd === text.length && literals.some((literal) => literal.startsWith(token));
  return { reason: isCut ? 'truncated' : 'literal', offset: start };
}

function strange(character: string, offset: number): JsonFault {
  return { reason: character === "'" ? 'single-quotes' : 'unexpected', offset };
}

function endOfString(text: string, start: number): number | JsonFault {
  for (let at = endOf(plainCharacters, text, start + 1); ; at = endOf(plainCharacters, text, at)) {
    const unit = text.charCodeAt(at);
    if (Number.isNaN(unit)) return { reason: 'truncated', offset: at };
    if (unit < 0x20) return { reason: 'control-character', offset: at };
    if (unit === 0x22) return at + 1;
    const rest = text.slice(at, at + 6);
    const length = unit === 0x5c ? escapeSequence.exec(rest)?.[0].length : 1;
    if (length === undefined) {
      const isCut = rest.length < 6 && /^\\(?:u[0-9a-fA-F]*)?$/.test(rest);
      return { reason: isCut ? 'truncated' : 'unexpected', offset: at };
    }
    at += length;
  }
}

/** What a string is without its quotation marks and escapes. */
function textOfString(written: string): string {
  return written.includes('\\') ? JSON.parse(written) : written.slice(1, -1);
}

/** Where the characters of `run` end, which may be none. */
function endOf(run: RegExp, text: string, at: number): number {
  run.lastIndex = at;
  return run.test(text) ? run.lastIndex : at;
}
