import { decodeUtf8, decodeUtf16, encodeHex } from '../bytes.ts';
import {
  isJsonObject,
  type JsonReading,
  type JsonType,
  jsonTypeOf,
  parseJsonText,
  placeOf,
  type TextPlace,
} from './json.ts';
import type { JsonSyntaxFault } from './json-scanner.ts';

type FailedReading = Extract<JsonReading, { ok: false }>;
type NotJson = Extract<ResponseProblem, { kind: 'not-json' }>;

/** How much text a problem carries, in UTF-16 code units. */
const nearLength = 60;
/** Only this much of a body is searched for what it may be instead of JSON. */
const searchedLength = 64 * 1024;

/** Names what a body is that could not be read as JSON. */
export function problemOfUnreadable(reading: FailedReading): ResponseProblem {
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
export function problemOfValue(value: unknown): NotJson {
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

export type BodyEncoding = 'utf-16' | 'compressed' | 'invalid-utf-8';

/** What the bytes are instead of UTF-8 text, how it shows, and their text where it can be read. */
export interface EncodingFinding {
  readonly reason: BodyEncoding;
  readonly detail: string;
  readonly text?: string;
}

/** A longer text is not decoded for showing. */
const maxShownBytes = 64 * 1024;

/** Says what bytes are that a UTF-8 reader of JSON can't take; undefined for UTF-8 text. */
export function encodingOf(body: Uint8Array): EncodingFinding | undefined {
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
      /** The value as text, such as `0` or `0000`. */
      readonly value: string;
    }
  | { readonly kind: 'code-not-success'; readonly value: string; readonly message?: string }
  | { readonly kind: 'message-missing'; readonly foundAt?: string }
  | { readonly kind: 'result-missing'; readonly isNull: boolean }
  | { readonly kind: 'field-missing'; readonly field: string; readonly present: readonly string[] }
  | { readonly kind: 'field-misplaced'; readonly field: string; readonly foundAt: string }
  | {
      readonly kind: 'field-type';
      readonly field: string;
      readonly expected: 'string' | 'object';
      readonly found: JsonType;
      /** The value is a string that contains a JSON object. */
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
