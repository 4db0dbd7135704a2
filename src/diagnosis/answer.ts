import type { Diagnosis } from '../errors.ts';
import type { AnswerProblem } from '../protocol/answer.ts';
import type { JsonType } from '../protocol/json-type.ts';
import { excerptOf } from '../text.ts';
import { diagnoseNotJson } from './answer-not-json.ts';
import { hintOfStatus, statusText } from './answer-status.ts';
import { diagnosis } from './catalogue-entry.ts';

/** What is known of an answer beside its body. */
export interface AnswerFacts {
  /** The HTTP status. */
  readonly status: number;
  /** The Content-Type header. */
  readonly contentType?: string;
  /** The `client_id` of a request about a user whom the other side needn't know: it may refuse all but its own. */
  readonly invitedBy?: string;
}

type Problem<Kind extends AnswerProblem['kind']> = Extract<AnswerProblem, { kind: Kind }>;

type Handlers = {
  readonly [Kind in AnswerProblem['kind']]: (
    problem: Problem<Kind>,
    facts: AnswerFacts,
  ) => readonly [message: string, hint: string];
};

/**
 * Says what is wrong with an answer: what was expected and what came (escaped and shortened), and
 * what to change. The diagnosis code is the problem's kind.
 */
export function diagnoseAnswer(problem: AnswerProblem, facts: AnswerFacts): Diagnosis {
  // The table has a handler of the right kind for each problem, which the type of an index can't say.
  const handler = handlers[problem.kind] as (
    problem: AnswerProblem,
    facts: AnswerFacts,
  ) => readonly [string, string];
  const [message, hint] = handler(problem, facts);
  return diagnosis(problem.kind, message, hint);
}

const handlers: Handlers = {
  'empty-body': emptyBody,
  'html-instead-of-json': html,
  'not-json': diagnoseNotJson,
  'byte-order-mark': byteOrderMark,
  'code-not-string': codeNotString,
  'code-not-success': codeNotSuccess,
  'message-missing': messageMissing,
  'result-missing': resultMissing,
  'field-missing': fieldMissing,
  'field-misplaced': fieldMisplaced,
  'field-type': fieldType,
  'field-malformed': fieldMalformed,
};

function emptyBody({ bytes }: Problem<'empty-body'>, { status }: AnswerFacts) {
  const what = bytes === 0 ? 'is empty' : `holds nothing but white space (${bytes} bytes)`;
  return [
    `Expected a JSON object; the body of the answer ${what} ${statusText(status)}.`,
    hintOfStatus(status) ??
      'Write the JSON object into the response; look for a branch of the handler that returns nothing.',
  ] as const;
}

function html({ title, jsonFollows }: Problem<'html-instead-of-json'>, { status }: AnswerFacts) {
  const says = title === '' ? '' : `, which says ${quote(title)}`;
  if (jsonFollows) {
    return [
      `Expected JSON alone; HTML stands before it${says} ${statusText(status)}.`,
      'Mend what the HTML warns of, and write warnings into a log instead of the answer (PHP: display_errors = Off).',
    ] as const;
  }
  return [
    `Expected a JSON object; the answer is an HTML page${says} ${statusText(status)}.`,
    hintOfStatus(status) ??
      'The URL leads to a web page: use that of the callback itself, and except it from redirects to a login or to a start page.',
  ] as const;
}

function byteOrderMark() {
  return [
    'Expected JSON from the first byte; the body begins with a byte order mark (EF BB BF), which RFC 8259 section 8.1 forbids.',
    'Write UTF-8 without the mark (.NET: new UTF8Encoding(false); PHP: save the source files without it).',
  ] as const;
}

function codeNotString({ found, value }: Problem<'code-not-string'>) {
  const shown = found === 'object' || found === 'array' ? '' : ` ${excerptOf(value, 24)}`;
  const noNumber = /^-?0\d/.test(value) ? ', which is no JSON either' : '';
  return [
    `Expected code as a string; it is ${withArticle(found)}${found === 'null' ? '' : shown}${noNumber}.`,
    'Write it in quotation marks: "code": "0000". A number loses its leading zeros: give the field the type of a string.',
  ] as const;
}

function codeNotSuccess({ value, message = '' }: Problem<'code-not-success'>, facts: AnswerFacts) {
  const says = message === '' ? 'without a message' : `with the message ${quote(message, 160)}`;
  const looksGood = /^\W*(?:0+|1|200|ok|s|y|true|success(?:ful)?|succeeded)\W*$/i.test(value);
  return [
    `Expected code "0000"; the answer has code ${quote(value, 40)}, ${says} ${statusText(facts.status)}.`,
    looksGood
      ? 'If this was meant as success, answer "0000": exactly these four digits, as a string.'
      : `The other side refuses or failed; its message and its log for the same instant say why.${ofOthers(facts)}`,
  ] as const;
}

function ofOthers({ invitedBy }: AnswerFacts): string {
  if (invitedBy === undefined) return '';
  return ` The client_id was ${quote(invitedBy, 60)} and the ptn_cd was invented, unless one was given: an application that knows only its own has to be asked with those.`;
}

function messageMissing({ foundAt }: Problem<'message-missing'>) {
  const seen = foundAt === undefined ? 'it has none' : `there is ${quote(foundAt)} instead`;
  return [
    `Expected a message in the answer; ${seen}.`,
    'Send "message" with every answer, as an empty string if there is nothing to say.',
  ] as const;
}

function resultMissing({ isNull }: Problem<'result-missing'>) {
  return [
    `Expected result as an object beside code "0000"; ${isNull ? 'it is null' : 'there is none'}.`,
    'Put the fields of the answer into an object named "result"; only an answer that refuses goes without.',
  ] as const;
}

function fieldMissing({ field, present }: Problem<'field-missing'>) {
  const names = present.map((name) => quote(name, 40)).join(', ');
  const home = field.startsWith('result.') ? 'result' : 'the answer';
  const seen = present.length === 0 ? `${home} is empty` : `${home} has ${names}`;
  return [
    `Expected the field ${field}; ${seen}.`,
    `Send "${lastOf(field)}" in ${home}, as a string.${optionalFields(field)}`,
  ] as const;
}

/** Serialisers that leave out what is null make a lost value look like a lost field. */
function optionalFields(field: string): string {
  return field === 'code' ? '' : ' If the code sets it, look whether its value is null there.';
}

function fieldMisplaced({ field, foundAt }: Problem<'field-misplaced'>) {
  const [name, found] = [lastOf(field), lastOf(foundAt)];
  const renamed = name !== found;
  const moved = field.length - name.length !== foundAt.length - found.length;
  const place = field.includes('.') ? 'inside of "result"' : 'at the top of the answer';
  const rename = `Call it "${name}" on the wire (Jackson @JsonProperty("${name}"), C# [JsonPropertyName("${name}")], Go \`json:"${name}"\`)`;
  const move = `put it ${place}`;
  const hint =
    renamed && moved ? `${rename}, and ${move}.` : renamed ? `${rename}.` : `P${move.slice(1)}.`;
  return [
    `Expected the field ${field}; it seems to stand at ${quote(foundAt, 80)}.`,
    hint,
  ] as const;
}

function fieldType({ field, expected, found, jsonInString }: Problem<'field-type'>) {
  const seen = jsonInString ? 'a string with JSON inside' : withArticle(found);
  const hints: Readonly<Partial<Record<JsonType, string>>> = {
    null: 'Set its value: null is no string. Look where it gets lost on the way into the answer.',
    number: 'Write it in quotation marks: give the field the type of a string.',
    array: bytesHint(field),
    object: bytesHint(field),
  };
  const asObject = jsonInString
    ? 'Put the object itself into the answer and serialise once: the inner JSON.stringify, json.dumps or writeValueAsString is one too many.'
    : 'Put the fields into an object: "result": { … }.';
  const asString = hints[found] ?? 'Give the field the type of a string.';
  return [
    `Expected ${field} as ${withArticle(expected)}; it is ${seen}.`,
    expected === 'object' ? asObject : asString,
  ] as const;
}

function bytesHint(field: string): string {
  return field.endsWith('_key') || field.endsWith('_sp')
    ? 'Encode the bytes in Base64 and send that as a string (Node: buffer.toString("base64")).'
    : 'Send the text alone, as a string.';
}

function fieldMalformed({ field, expected, observed }: Problem<'field-malformed'>) {
  const hints: Readonly<Record<string, string>> = {
    'result.expire_dt':
      'Format it as yyyyMMddHHmmss with the hour from 00 to 23 (Java: DateTimeFormatter.ofPattern("yyyyMMddHHmmss"), Python: strftime("%Y%m%d%H%M%S")).',
    'result.ptn_sp':
      'Send the ciphertext of the passcode, encoded; the passcode itself must not stand there.',
  };
  return [
    `Expected ${field} to be ${expected}; it holds ${observed}.`,
    hints[field] ?? 'Send the value; an empty one is of no use.',
  ] as const;
}

/** The diagnosis of an answer whose Content-Type denies that it is JSON, though its body may be. */
export function diagnoseContentType(contentType: string | undefined): Diagnosis {
  const seen = contentType === undefined ? 'has none' : `says ${quote(contentType, 80)}`;
  const isHtml = /^\s*(?:text\/html|application\/xhtml)/i.test(contentType ?? '');
  return diagnosis(
    isHtml ? 'html-instead-of-json' : 'not-json',
    `Expected the Content-Type application/json; the answer ${seen}.`,
    'Let the framework write the JSON (Express res.json, Flask jsonify, Spring @RestController), or set Content-Type: application/json;charset=utf-8.',
  );
}

function quote(text: string, max = 60): string {
  return `"${excerptOf(text, max)}"`;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function withArticle(type: JsonType): string {
  if (type === 'null') return 'null';
  return type === 'array' || type === 'object' ? `an ${type}` : `a ${type}`;
}
