import type { Diagnosis } from '../errors.ts';
import type { JsonType } from '../protocol/json.ts';
import { maxJsonDepth } from '../protocol/json.ts';
import type { NotJsonReason, ResponseProblem } from '../protocol/response.ts';
import { byteCount, excerptOf, quoted } from '../text.ts';
import { diagnosis } from './diagnosis.ts';
import { hintOfStatus, situationOfStatus } from './http-status.ts';

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
export function diagnoseResponse(seen: ResponseProblem, facts: ResponseFacts): Diagnosis {
  const problem = withStatusFirst(seen, facts.status);
  // Each kind has its own handler, which the type of an index can't say.
  const explain = handlers[problem.kind] as (
    problem: ResponseProblem,
    facts: ResponseFacts,
  ) => Explanation;
  const found = diagnosis(problem.kind, ...explain(problem, facts));
  // Why it was refused is not known yet.
  const isRefusal = problem.kind === 'code-not-success' || facts.status >= 400;
  return isRefusal ? { ...found, confidence: undefined } : found;
}

/** Under a status that speaks first, and beside a number that repeats it, other names are not slips for those of this interface. */
function withStatusFirst(problem: ResponseProblem, status: number): ResponseProblem {
  const { kind } = problem;
  const isSlip =
    kind === 'field-misplaced' && problem.field === 'code' && situationOfStatus(status);
  const isStatus = kind === 'code-not-string' && problem.value === String(status) && status >= 400;
  if (!isSlip && !isStatus) return problem;
  const present = [kind === 'field-misplaced' ? problem.foundAt : 'code'];
  return { kind: 'field-missing', field: 'code', present, foreign: '' };
}

const handlers: Handlers = {
  'empty-body': ({ bytes }, { status }) => {
    const what = bytes === 0 ? 'is empty' : `contains only white space (${bytes} bytes)`;
    return [
      `Expected a JSON object; the body of the response ${what}${statusText(status)}.`,
      hintOfStatus(status) ??
        'Write the JSON object into the response; look for a branch of the handler that returns nothing.',
    ];
  },
  'html-instead-of-json': ({ title, jsonFollows }, { status }) => {
    const says = title === '' ? '' : `: ${quoted(title)}`;
    if (jsonFollows) {
      return [
        `Expected only JSON; HTML comes before it${says}${statusText(status)}.`,
        'Fix what the HTML warns about, and write warnings to a log instead of the response (PHP: display_errors = Off).',
      ];
    }
    return [
      `Expected a JSON object; the response is an HTML page${says}${statusText(status)}.`,
      hintOfStatus(status) ??
        'The URL is that of a web page: use the URL of the callback, and exempt it from redirects to a login or start page.',
    ];
  },
  'not-json': diagnoseNotJson,
  'byte-order-mark': () => [
    'Expected JSON from the first byte; the body begins with a byte order mark (EF BB BF), which RFC 8259 section 8.1 forbids.',
    'Write UTF-8 without the mark (.NET: new UTF8Encoding(false); PHP: save the source files without it).',
  ],
  'code-not-string': ({ found, value }) => {
    const shown = found === 'object' || found === 'array' ? '' : ` ${excerptOf(value, 24)}`;
    const noNumber = /^-?0\d/.test(value) ? ', which is not JSON either' : '';
    return [
      `Expected code as a string; it is ${withArticle(found)}${found === 'null' ? '' : shown}${noNumber}.`,
      'Write it in quotation marks: "code": "0000". A number loses its leading zeros: declare the field as a string.',
    ];
  },
  'code-not-success': ({ value, message = '' }, facts) => {
    const seen = `the response has code ${quoted(value, 40)}`;
    if (/^\W*(?:0+|1|200|ok|s|y|true|success(?:ful)?|succeeded)\W*$/i.test(value)) {
      const says =
        message === '' ? 'without a message' : `with the message ${quoted(message, 160)}`;
      return [
        `Expected code "0000"; ${seen}, ${says}${statusText(facts.status)}.`,
        'If this is intended as success, send "0000": exactly these four digits, as a string.',
      ];
    }
    if (message.trim() === '') {
      return [
        `Refused, without a reason: ${seen}, without a message${statusText(facts.status)}.`,
        `Look for the reason in the server's log at that time, and send it as "message".${ofOthers(facts)}`,
      ];
    }
    return [
      `Expected code "0000"; ${seen}, with the message ${quoted(message, 160)}${statusText(facts.status)}.`,
      `The request was refused or failed; check the message, and the server's log at that time.${ofOthers(facts)}`,
    ];
  },
  'message-missing': ({ foundAt }) => [
    `Expected a message in the response; ${foundAt === undefined ? 'it has none' : `there is ${quoted(foundAt)} instead`}.`,
    'Send "message" with every response, even if it is an empty string.',
  ],
  'result-missing': ({ isNull }) => [
    `Expected result as an object beside code "0000"; ${isNull ? 'it is null' : 'it is missing'}.`,
    'Put the fields of the response into an object named "result"; only an error response may omit it.',
  ],
  'field-missing': ({ field, present, foreign }, { status }) => {
    const names = present.map((name) => quoted(name, 40)).join(', ');
    const home = field.startsWith('result.') ? 'result' : 'the response';
    const seen = present.length === 0 ? `${home} is empty` : `${home} has ${names}`;
    if (field === 'code' && (foreign !== undefined || (status >= 400 && hintOfStatus(status)))) {
      const says = foreign ? `: ${quoted(foreign, 160)}` : '';
      return [
        `Expected the field code; ${seen}, an error of a framework or proxy${statusText(status)}${says}.`,
        hintOfStatus(status) ?? foreignHint,
      ];
    }
    // Serialisers that leave out what is null make a lost value look like a lost field.
    const check =
      field === 'code' ? '' : ' If the code sets it, check whether its value is null there.';
    return [
      `Expected the field ${field}; ${seen}.`,
      `Send "${lastOf(field)}" in ${home}, as a string.${check}`,
    ];
  },
  'field-misplaced': ({ field, foundAt }) => {
    const [name, found] = [lastOf(field), lastOf(foundAt)];
    const renamed = name !== found;
    const moved = field.length - name.length !== foundAt.length - found.length;
    const place = field.includes('.') ? 'inside "result"' : 'at the top of the response';
    const rename = `Call it "${name}" on the wire (Jackson @JsonProperty("${name}"), C# [JsonPropertyName("${name}")], Go \`json:"${name}"\`)`;
    const both = renamed && moved ? `${rename}, and put it ${place}.` : `${rename}.`;
    return [
      `Expected the field ${field}; it seems to be at ${quoted(foundAt, 80)}.`,
      renamed ? both : `Put it ${place}.`,
    ];
  },
  'field-type': ({ field, expected, found, jsonInString }) => {
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
    ];
  },
  'field-malformed': ({ field, expected, observed }) => {
    const hints: Readonly<Record<string, string>> = {
      'result.expire_dt':
        'Format it as yyyyMMddHHmmss with the hour from 00 to 23 (Java: DateTimeFormatter.ofPattern("yyyyMMddHHmmss"), Python: strftime("%Y%m%d%H%M%S")).',
      'result.ptn_sp': 'Send the ciphertext of the passcode, encoded; never the passcode itself.',
    };
    return [
      `Expected ${field} to be ${expected}; it is ${observed}.`,
      hints[field] ?? 'Send the value; it must not be empty.',
    ];
  },
};

/** An application that knows only its own users refuses an invented one. */
function ofOthers({ clientId, inventsUser = false }: RequestSubject): string {
  if (clientId === undefined) return '';
  const given = ` The client_id was ${quoted(clientId, 60)}`;
  return inventsUser
    ? `${given}, and the ptn_cd was invented: if the application accepts only its own, pass those.`
    : `${given}: if the application has another, pass that.`;
}

const foreignHint =
  'The handler did not write this: find what failed before or in it in the log, catch it, and respond with the JSON of the interface.';

function bytesHint(field: string): string {
  return field.endsWith('_key') || field.endsWith('_sp')
    ? 'Encode the bytes in Base64 and send that as a string (Node: buffer.toString("base64")).'
    : 'Send only the text, as a string.';
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

/** The diagnosis of a body of more than `limit` bytes, announced by Content-Length or once its coding was undone. */
export function bodyTooLarge(
  limit: number,
  { announced, inflated }: { readonly announced?: number; readonly inflated?: string },
): Diagnosis {
  const size = byteCount(limit);
  const seen =
    inflated !== undefined
      ? `The body of the response exceeds ${size} once its ${inflated} is decoded`
      : announced !== undefined && announced > limit
        ? `The response announces a body of ${announced} bytes, more than the limit of ${size}`
        : `The body of the response is larger than ${size}`;
  return diagnosis(
    'body-too-large',
    `${seen}.`,
    'A response of this interface is a few hundred bytes: check what else is written to it.',
  );
}

/** The diagnosis of a Content-Encoding that can't be undone. */
export function unknownEncoding(name: string): Diagnosis {
  return diagnosis(
    'not-json',
    `The body of the response has the Content-Encoding "${excerptOf(name, 40)}", which authcli does not support.`,
    `${withoutEncoding} gzip, deflate and br are supported.`,
  );
}

const withoutEncoding = 'Send the JSON without a Content-Encoding: none was requested.';

/** The most content codings that are undone; no server applies more than one on purpose. */
export const maxCodings = 5;

/** The diagnosis of a Content-Encoding of more codings than are undone. */
export function tooManyEncodings(count: number): Diagnosis {
  return diagnosis(
    'not-json',
    `The Content-Encoding of the response lists ${count} codings; authcli decodes ${maxCodings} at most.`,
    `${withoutEncoding} Check for filters that each compress the response.`,
  );
}

/** The diagnosis of a body that is not what its Content-Encoding says. */
export function brokenEncoding(name: string): Diagnosis {
  return diagnosis(
    'not-json',
    `The response has Content-Encoding: ${name}, and its body is not a complete ${name} stream.`,
    'Check that the body is compressed exactly once and completely, and that the header is only sent in that case.',
  );
}

interface RedirectFacts {
  readonly status: number;
  /** The value of the Location header. */
  readonly location?: string;
  /** Where the request went. */
  readonly url: URL;
}

const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * The diagnosis of a redirect (RFC 9110 15.4), undefined for any other status. Redirects aren't
 * followed: the body may contain secrets, and 301, 302 and 303 would turn the POST into a GET. The
 * query of the target may contain a session, so it is not shown.
 */
export function diagnoseRedirect({ status, location, url }: RedirectFacts): Diagnosis | undefined {
  if (!redirects.has(status)) return undefined;
  const isUrl = location !== undefined && URL.canParse(location, url.href);
  const target = isUrl ? new URL(location, url) : undefined;
  const where =
    target === undefined ? '' : `to ${excerptOf(target.origin + target.pathname, 120)} `;
  return diagnosis(
    'redirect',
    `The response redirects ${where}(status ${status}); redirects are not followed.`,
    hintOf(target, url),
    // Another spelling of the URL on the same host, and not a page for people.
    target?.hostname === url.hostname && !forPeople.test(target.pathname)
      ? { location: target.origin + target.pathname }
      : {},
  );
}

const forPeople = /\b(?:log-?in|sign-?in|auth|sso)\b/i;

function hintOf(target: URL | undefined, url: URL): string {
  if (target === undefined) return 'Respond at the registered URL itself, without a redirect.';
  if (forPeople.test(target.pathname)) {
    return "Exempt the path from the framework's login: the service has no session.";
  }
  if (target.host === url.host && target.pathname === url.pathname) {
    return `Use the URL with ${target.protocol}//.`;
  }
  if (target.pathname.replace(/\/$/, '') === url.pathname.replace(/\/$/, '')) {
    return 'Use that URL: it differs in the trailing slash or in the host.';
  }
  return 'Use the URL that the redirect leads to, or respond at this one.';
}

/** " (status 200)"; empty where the status isn't known (0). */
export function statusText(status: number): string {
  return status === 0 ? '' : ` (status ${status})`;
}

/** Why a body is not a JSON object: the message and the hint. */
function diagnoseNotJson(problem: Problem<'not-json'>, facts: ResponseFacts): Explanation {
  const { seen, fix } = reasons[problem.reason];
  // Text that no serialiser made comes from something in front, of which the status shows more.
  const isForeign = problem.reason === 'plain-text' || problem.reason === 'xml';
  const kind = seen.replace('%', () => excerptOf(problem.detail, 60));
  const type = facts.contentType === undefined ? '' : ` as ${excerptOf(facts.contentType, 60)}`;
  const message = `Expected a JSON object; the body ${kind}${placeText(problem)}${statusText(facts.status)}${type}.`;
  return [message, (isForeign && hintOfStatus(facts.status)) || fix];
}

function placeText({ place, near }: Problem<'not-json'>): string {
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
  'single-quotes': {
    seen: 'has single quotes',
    fix: 'JSON has double quotes. In Python send json.dumps(response), not str(response); elsewhere let the JSON library write it.',
  },
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
  scalar: { seen: 'is only a JSON %', fix: 'Send an object with code, message and result.' },
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
