import { maxJsonDepth } from '../protocol/json-scanner.ts';
import type { NotJsonReason, ResponseProblem } from '../protocol/response.ts';
import { excerptOf } from '../text.ts';
import { hintOfStatus, statusText } from './response-http.ts';

type NotJson = Extract<ResponseProblem, { kind: 'not-json' }>;

/** Why a body is not a JSON object: the message and the hint. */
export function diagnoseNotJson(
  problem: NotJson,
  facts: { readonly status: number; readonly contentType?: string },
) {
  const { seen, fix } = reasons[problem.reason];
  // Text that no serialiser made comes from something in front, of which the status shows more.
  const isForeign = problem.reason === 'plain-text' || problem.reason === 'xml';
  const kind = seen.replace('%', () => excerptOf(problem.detail, 60));
  const type = facts.contentType === undefined ? '' : ` as ${excerptOf(facts.contentType, 60)}`;
  const message = `Expected a JSON object; the body ${kind}${placeText(problem)}${statusText(facts.status)}${type}.`;
  return [message, (isForeign && hintOfStatus(facts.status)) || fix] as const;
}

function placeText({ place, near }: NotJson): string {
  const where = place === undefined ? '' : ` at line ${place.line}, column ${place.column}`;
  return near === '' ? where : `${where}: ${excerptOf(near, 80)}`;
}

const serialise =
  'Build an object and let the JSON library write it (JSON.stringify, json.dumps, ObjectMapper, json_encode); do not assemble JSON from strings.';

/** What the body is or has, where `%` is the detail, and the fix. */
const reasons: Readonly<Record<NotJsonReason, { seen: string; fix: string }>> = {
  'utf-16': {
    seen: 'is encoded in %',
    fix: 'Encode the response in UTF-8 (Java: getBytes(StandardCharsets.UTF_8); .NET: Encoding.UTF8, not Encoding.Unicode).',
  },
  'utf-32': { seen: 'is encoded in %', fix: 'Encode the response in UTF-8.' },
  compressed: {
    seen: 'is compressed (%) without a Content-Encoding header',
    fix: 'Send the JSON uncompressed, or set Content-Encoding; check whether the body is compressed twice.',
  },
  'invalid-utf-8': {
    seen: 'is not UTF-8 (%)',
    fix: "Encode the response in UTF-8, not in the platform's or the database's own charset such as Latin-1 or EUC-KR.",
  },
  truncated: {
    seen: 'ends in the middle of the JSON',
    fix: 'Look for a Content-Length that counts characters instead of bytes, a handler that ends the response early, or a full buffer.',
  },
  'trailing-text': {
    seen: 'continues after the end of the JSON',
    fix: 'Write the object once and end the response there: look for a second write, a debug print, or a filter that adds to the response.',
  },
  'leading-text': {
    seen: 'has text before the JSON',
    fix: 'Write nothing but the JSON: send warnings and debug prints to a log, and switch off prefixes against JSON hijacking.',
  },
  'trailing-comma': { seen: 'has a comma before a closing bracket', fix: serialise },
  'single-quotes': {
    seen: 'has single quotes',
    fix: 'JSON has double quotes. In Python send json.dumps(response), not str(response); elsewhere let the JSON library write it.',
  },
  'unquoted-name': { seen: 'has a name without quotation marks', fix: serialise },
  comment: { seen: 'has a comment, which JSON does not allow', fix: serialise },
  literal: {
    seen: 'has a word that is not valid JSON',
    fix: 'JSON has true, false and null in lower case, but not None, undefined or NaN; let the JSON library write it.',
  },
  'leading-zero': {
    seen: 'has a number with leading zeros',
    fix: 'Write it as a string, in quotation marks.',
  },
  'control-character': {
    seen: 'has a control character inside a string',
    fix: `Line ends and tabs in strings must be escaped. ${serialise}`,
  },
  'bad-escape': { seen: 'has an invalid escape sequence', fix: serialise },
  unexpected: { seen: 'is not valid JSON', fix: serialise },
  'too-deep': {
    seen: `is nested deeper than ${maxJsonDepth} levels`,
    fix: 'Send only the fields of the interface; look for an object that contains itself.',
  },
  'duplicate-name': {
    seen: 'has the field % more than once, and parsers differ in which one they keep',
    fix: 'Send each field once: look for two maps that are merged into one response, a property under two names, or JSON assembled from strings.',
  },
  array: {
    seen: 'is a JSON array (%)',
    fix: 'Send the object itself, not an array (PHP: an array with string keys).',
  },
  scalar: {
    seen: 'is only a JSON %',
    fix: 'Send an object with code, message and result.',
  },
  'json-in-json': {
    seen: 'is a JSON string that contains JSON: it was serialised twice',
    fix: 'Serialise once: pass the object to the framework, not the string from JSON.stringify, json.dumps or writeValueAsString.',
  },
  'form-encoded': {
    seen: 'is form-encoded',
    fix: 'Respond with JSON, as application/json;charset=utf-8.',
  },
  xml: {
    seen: 'is XML',
    fix: 'Respond with JSON regardless of the Accept header (Spring: produces = "application/json").',
  },
  'plain-text': {
    seen: 'is plain text',
    fix: 'Respond with the JSON object of the interface, even on success.',
  },
};
