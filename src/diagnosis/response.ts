import type { Diagnosis } from '../errors.ts';
import type { JsonType } from '../protocol/json.ts';
import type { ResponseProblem } from '../protocol/response.ts';
import { excerptOf, quoted } from '../text.ts';
import { diagnosis } from './diagnosis.ts';
import { hintOfStatus, statusText } from './response-http.ts';
import { diagnoseNotJson } from './response-not-json.ts';

/** Whom the request was about, as far as it may be why the application refuses it. */
export interface RequestSubject {
  readonly clientId?: string | undefined;
  /** The user code is made up, and the application can't know it. */
  readonly inventsUser?: boolean | undefined;
}

/** The facts of a response beside its body. */
export interface ResponseFacts extends RequestSubject {
  readonly status: number;
  readonly contentType?: string;
}

type Problem<Kind extends ResponseProblem['kind']> = Extract<ResponseProblem, { kind: Kind }>;

type Explanation = readonly [message: string, hint: string];

type Handlers = {
  readonly [Kind in ResponseProblem['kind']]: (
    problem: Problem<Kind>,
    facts: ResponseFacts,
  ) => Explanation;
};

/**
 * What is wrong with a response: what was expected and what came (escaped and shortened), and
 * what to change. The diagnosis code is the problem's kind.
 */
export function diagnoseResponse(problem: ResponseProblem, facts: ResponseFacts): Diagnosis {
  // Each kind has its own handler, which the type of an index can't say.
  const explain = handlers[problem.kind] as (
    problem: ResponseProblem,
    facts: ResponseFacts,
  ) => Explanation;
  return diagnosis(problem.kind, ...explain(problem, facts));
}

const handlers: Handlers = {
  'empty-body': emptyBody,
  'html-instead-of-json': html,
  'not-json': diagnoseNotJson,
  'byte-order-mark': () => [
    'Expected JSON from the first byte; the body begins with a byte order mark (EF BB BF), which RFC 8259 section 8.1 forbids.',
    'Write UTF-8 without the mark (.NET: new UTF8Encoding(false); PHP: save the source files without it).',
  ],
  'code-not-string': codeNotString,
  'code-not-success': codeNotSuccess,
  'message-missing': ({ foundAt }) => [
    `Expected a message in the response; ${foundAt === undefined ? 'it has none' : `there is ${quoted(foundAt)} instead`}.`,
    'Send "message" with every response, even if it is an empty string.',
  ],
  'result-missing': ({ isNull }) => [
    `Expected result as an object beside code "0000"; ${isNull ? 'it is null' : 'it is missing'}.`,
    'Put the fields of the response into an object named "result"; only an error response may omit it.',
  ],
  'field-missing': fieldMissing,
  'field-misplaced': fieldMisplaced,
  'field-type': fieldType,
  'field-malformed': fieldMalformed,
};

function emptyBody({ bytes }: Problem<'empty-body'>, { status }: ResponseFacts) {
  const what = bytes === 0 ? 'is empty' : `contains only white space (${bytes} bytes)`;
  return [
    `Expected a JSON object; the body of the response ${what}${statusText(status)}.`,
    hintOfStatus(status) ??
      'Write the JSON object into the response; look for a branch of the handler that returns nothing.',
  ] as const;
}

function html({ title, jsonFollows }: Problem<'html-instead-of-json'>, { status }: ResponseFacts) {
  const says = title === '' ? '' : `: ${quoted(title)}`;
  if (jsonFollows) {
    return [
      `Expected only JSON; HTML comes before it${says}${statusText(status)}.`,
      'Fix what the HTML warns about, and write warnings to a log instead of the response (PHP: display_errors = Off).',
    ] as const;
  }
  return [
    `Expected a JSON object; the response is an HTML page${says}${statusText(status)}.`,
    hintOfStatus(status) ??
      'The URL is that of a web page: use the URL of the callback, and exempt it from redirects to a login or start page.',
  ] as const;
}

function codeNotString({ found, value }: Problem<'code-not-string'>) {
  const shown = found === 'object' || found === 'array' ? '' : ` ${excerptOf(value, 24)}`;
  const noNumber = /^-?0\d/.test(value) ? ', which is not JSON either' : '';
  return [
    `Expected code as a string; it is ${withArticle(found)}${found === 'null' ? '' : shown}${noNumber}.`,
    'Write it in quotation marks: "code": "0000". A number loses its leading zeros: declare the field as a string.',
  ] as const;
}

function codeNotSuccess(
  { value, message = '' }: Problem<'code-not-success'>,
  facts: ResponseFacts,
) {
  const says = message === '' ? 'without a message' : `with the message ${quoted(message, 160)}`;
  const looksGood = /^\W*(?:0+|1|200|ok|s|y|true|success(?:ful)?|succeeded)\W*$/i.test(value);
  return [
    `Expected code "0000"; the response has code ${quoted(value, 40)}, ${says}${statusText(facts.status)}.`,
    looksGood
      ? 'If this is intended as success, send "0000": exactly these four digits, as a string.'
      : `The request was refused or failed; check the message, and the server's log at that time.${ofOthers(facts)}`,
  ] as const;
}

/** An application that knows only its own users refuses an invented one. */
function ofOthers({ clientId, inventsUser = false }: RequestSubject): string {
  if (clientId === undefined) return '';
  const given = ` The client_id was ${quoted(clientId, 60)}`;
  return inventsUser
    ? `${given}, and the ptn_cd was invented: if the application accepts only its own, pass those.`
    : `${given}: if the application has another, pass that.`;
}

function fieldMissing({ field, present }: Problem<'field-missing'>, { status }: ResponseFacts) {
  const names = present.map((name) => quoted(name, 40)).join(', ');
  const home = field.startsWith('result.') ? 'result' : 'the response';
  const seen = present.length === 0 ? `${home} is empty` : `${home} has ${names}`;
  // Serialisers that leave out what is null make a lost value look like a lost field.
  const check =
    field === 'code' ? '' : ' If the code sets it, check whether its value is null there.';
  // An error without code is that of a framework or a proxy, which its status explains.
  const hint = field === 'code' && status >= 400 ? hintOfStatus(status) : undefined;
  return [
    `Expected the field ${field}; ${seen}${hint === undefined ? '' : statusText(status)}.`,
    hint ?? `Send "${lastOf(field)}" in ${home}, as a string.${check}`,
  ] as const;
}

function fieldMisplaced({ field, foundAt }: Problem<'field-misplaced'>) {
  const [name, found] = [lastOf(field), lastOf(foundAt)];
  const renamed = name !== found;
  const moved = field.length - name.length !== foundAt.length - found.length;
  const place = field.includes('.') ? 'inside "result"' : 'at the top of the response';
  const rename = `Call it "${name}" on the wire (Jackson @JsonProperty("${name}"), C# [JsonPropertyName("${name}")], Go \`json:"${name}"\`)`;
  const both = renamed && moved ? `${rename}, and put it ${place}.` : `${rename}.`;
  return [
    `Expected the field ${field}; it seems to be at ${quoted(foundAt, 80)}.`,
    renamed ? both : `Put it ${place}.`,
  ] as const;
}

function fieldType({ field, expected, found, jsonInString }: Problem<'field-type'>) {
  const seen = jsonInString ? 'a string with JSON inside' : withArticle(found);
  const hints: Readonly<Partial<Record<JsonType, string>>> = {
    null: 'Set its value: null is not a string. Find where it gets lost before the response is written.',
    number: 'Write it in quotation marks: declare the field as a string.',
    array: bytesHint(field),
    object: bytesHint(field),
  };
  const asObject = jsonInString
    ? 'Put the object itself into the response and serialise once: the inner JSON.stringify, json.dumps or writeValueAsString is one too many.'
    : 'Put the fields into an object: "result": { … }.';
  const asString = hints[found] ?? 'Declare the field as a string.';
  return [
    `Expected ${field} as ${withArticle(expected)}; it is ${seen}.`,
    expected === 'object' ? asObject : asString,
  ] as const;
}

function bytesHint(field: string): string {
  return field.endsWith('_key') || field.endsWith('_sp')
    ? 'Encode the bytes in Base64 and send that as a string (Node: buffer.toString("base64")).'
    : 'Send only the text, as a string.';
}

function fieldMalformed({ field, expected, observed }: Problem<'field-malformed'>) {
  const hints: Readonly<Record<string, string>> = {
    'result.expire_dt':
      'Format it as yyyyMMddHHmmss with the hour from 00 to 23 (Java: DateTimeFormatter.ofPattern("yyyyMMddHHmmss"), Python: strftime("%Y%m%d%H%M%S")).',
    'result.ptn_sp': 'Send the ciphertext of the passcode, encoded; never the passcode itself.',
  };
  return [
    `Expected ${field} to be ${expected}; it is ${observed}.`,
    hints[field] ?? 'Send the value; it must not be empty.',
  ] as const;
}

/** The diagnosis of a Content-Type that denies that the body is JSON. */
export function diagnoseContentType(contentType: string | undefined): Diagnosis {
  const seen = contentType === undefined ? 'has none' : `has ${quoted(contentType, 80)}`;
  const isHtml = /^\s*(?:text\/html|application\/xhtml)/i.test(contentType ?? '');
  return diagnosis(
    isHtml ? 'html-instead-of-json' : 'not-json',
    `Expected the Content-Type application/json; the response ${seen}.`,
    'Let the framework write the JSON (Express res.json, Flask jsonify, Spring @RestController), or set Content-Type: application/json;charset=utf-8.',
  );
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function withArticle(type: JsonType): string {
  if (type === 'null') return 'null';
  return type === 'array' || type === 'object' ? `an ${type}` : `a ${type}`;
}
