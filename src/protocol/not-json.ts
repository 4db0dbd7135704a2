import type { AnswerProblem, NotJsonReason } from './answer-problem.ts';
import { type JsonReading, parseJsonText, placeOf, type TextPlace } from './json.ts';
import { isJsonObject, jsonTypeOf } from './json-type.ts';

type FailedReading = Extract<JsonReading, { ok: false }>;
type NotJson = Extract<AnswerProblem, { kind: 'not-json' }>;

/** How much text a problem carries, in UTF-16 code units. */
const nearLength = 60;
/** Only this much of a body is searched for what it may be instead of JSON. */
const searchedLength = 64 * 1024;

/** Names what a body is that could not be read as JSON. */
export function problemOfUnreadable(reading: FailedReading): AnswerProblem {
  if (reading.reason === 'empty') return { kind: 'empty-body', bytes: reading.bytes };
  if (!('place' in reading)) {
    const near = excerptAround(reading.text ?? '', 0);
    return { kind: 'not-json', reason: reading.reason, detail: reading.detail, near };
  }
  const { text, place } = reading;
  return (
    codeWithLeadingZeros(reading.reason, text, place) ??
    htmlIn(text) ??
    otherFormat(text) ??
    syntaxProblem(reading.reason, text, place)
  );
}

/** Names what a JSON value is that is no object. */
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

/** `"code": 0000` is no JSON number, yet the slip to name is that the code is not a string. */
function codeWithLeadingZeros(
  reason: string,
  text: string,
  { offset }: TextPlace,
): AnswerProblem | undefined {
  if (reason !== 'leading-zero') return undefined;
  if (!/"code"\s*:\s*$/.test(text.slice(Math.max(0, offset - 40), offset))) return undefined;
  const value = /^-?\d{1,20}/.exec(text.slice(offset, offset + 20))?.[0] ?? '';
  return { kind: 'code-not-string', found: 'number', value };
}

const htmlStart =
  /^(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|!--|(?:html|head|body|title|meta|h[1-6]|p|br|b|pre|div|span|center|script|style|table|font)\b)/i;

function htmlIn(text: string): AnswerProblem | undefined {
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

/** Where a JSON object begins that ends the text, behind something that is none. */
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

function syntaxProblem(reason: NotJsonReason, text: string, place: TextPlace): NotJson {
  return notJson(reason, '', excerptAround(text, place.offset), place);
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
