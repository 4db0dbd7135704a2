import type { AnswerProblem, NotJsonReason } from '../protocol/answer.ts';
import { maxJsonDepth } from '../protocol/json-scanner.ts';
import { excerptOf } from '../text.ts';
import { hintOfStatus, statusText } from './answer-status.ts';

type NotJson = Extract<AnswerProblem, { kind: 'not-json' }>;

/** Says why a body is no JSON object: the message and the hint. */
export function diagnoseNotJson(
  problem: NotJson,
  facts: { readonly status: number; readonly contentType?: string },
) {
  const { seen, mend } = reasons[problem.reason];
  const kind = seen.replace('%', () => excerptOf(problem.detail, 60));
  const type = facts.contentType === undefined ? '' : ` as ${excerptOf(facts.contentType, 60)}`;
  const message = `Expected a JSON object; the body ${kind}${placeText(problem)} ${statusText(facts.status)}${type}.`;
  return [message, (isForeign(problem.reason) && hintOfStatus(facts.status)) || mend] as const;
}

/** Text that no serialiser made comes from something in front, of which the status tells more. */
function isForeign(reason: NotJsonReason): boolean {
  return reason === 'plain-text' || reason === 'xml';
}

function placeText({ place, near }: NotJson): string {
  const where = place === undefined ? '' : ` at line ${place.line}, column ${place.column}`;
  return near === '' ? where : `${where}: ${excerptOf(near, 80)}`;
}

interface Reason {
  /** What the body is or has; `%` stands for the detail. */
  readonly seen: string;
  readonly mend: string;
}

const serialise =
  'Build an object and let the JSON library write it (JSON.stringify, json.dumps, ObjectMapper, json_encode); do not put JSON together from text.';

const reasons: Readonly<Record<NotJsonReason, Reason>> = {
  'utf-16': {
    seen: 'is encoded in %',
    mend: 'Encode the answer in UTF-8 (Java: getBytes(StandardCharsets.UTF_8); .NET: Encoding.UTF8, not Encoding.Unicode).',
  },
  'utf-32': { seen: 'is encoded in %', mend: 'Encode the answer in UTF-8.' },
  compressed: {
    seen: 'is compressed (%), without a header that says so',
    mend: 'Send the JSON uncompressed, or say Content-Encoding for what was compressed; look for a body that is compressed twice.',
  },
  'invalid-utf-8': {
    seen: 'is no UTF-8 (%)',
    mend: "Encode the answer in UTF-8, not in the platform's or the database's own charset such as Latin-1 or EUC-KR.",
  },
  truncated: {
    seen: 'ends in the middle of the JSON',
    mend: 'Look for a Content-Length that counts characters instead of bytes, a handler that ends the response early, or a full buffer.',
  },
  'trailing-text': {
    seen: 'goes on behind the end of the JSON',
    mend: 'Write the object once and end the response there: look for a second write, a debug print, or a filter that adds to the answer.',
  },
  'leading-text': {
    seen: 'has text before the JSON',
    mend: 'Write nothing but the JSON: send warnings and debug prints to a log, and switch off prefixes against JSON hijacking.',
  },
  'trailing-comma': { seen: 'has a comma before a closing bracket', mend: serialise },
  'single-quotes': {
    seen: 'has single quotes',
    mend: 'JSON has double quotes. In Python send json.dumps(answer), not str(answer); elsewhere let the JSON library write it.',
  },
  'unquoted-name': { seen: 'has a name without quotation marks', mend: serialise },
  comment: { seen: 'has a comment, which JSON does not know', mend: serialise },
  literal: {
    seen: 'has a word that JSON does not know',
    mend: 'JSON knows true, false and null in small letters, and no None, undefined or NaN; let the JSON library write it.',
  },
  'leading-zero': {
    seen: 'has a number with leading zeros',
    mend: 'Write it as a string, in quotation marks.',
  },
  'control-character': {
    seen: 'has a control character inside a string',
    mend: `Line ends and tabs in strings must be escaped. ${serialise}`,
  },
  'bad-escape': { seen: 'has a backslash that escapes nothing', mend: serialise },
  unexpected: { seen: 'breaks the grammar of JSON', mend: serialise },
  'too-deep': {
    seen: `is nested deeper than ${maxJsonDepth} levels`,
    mend: 'Send the fields of the interface alone; look for an object that contains itself.',
  },
  'duplicate-name': {
    seen: 'has the field % more than once, and readers differ in which one they take',
    mend: 'Send each field once: look for two maps that are merged into one answer, a property under two names, or JSON put together from text.',
  },
  array: {
    seen: 'is a JSON array (%)',
    mend: 'Send the object itself, without brackets around it (PHP: an array with names as keys).',
  },
  scalar: {
    seen: 'is JSON, but a % alone',
    mend: 'Send an object with code, message and result.',
  },
  'json-in-json': {
    seen: 'is a JSON string that holds JSON: it was serialised twice',
    mend: 'Serialise once: give the object to the framework, not the string that JSON.stringify, json.dumps or writeValueAsString made of it.',
  },
  'form-encoded': {
    seen: 'is form-encoded',
    mend: 'Answer in JSON, as application/json;charset=utf-8.',
  },
  xml: {
    seen: 'is XML',
    mend: 'Answer in JSON, whatever the Accept header says (Spring: produces = "application/json").',
  },
  'plain-text': {
    seen: 'is plain text',
    mend: 'Answer with the JSON object of the interface, also where all is well.',
  },
};
