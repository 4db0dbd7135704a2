import { type Confidence, type Stack, stacks } from '../errors.ts';
import { normaliseName } from '../protocol/response.ts';
import { excerptOf } from '../text.ts';
import { namesInCode } from './calls.ts';
import { type CauseId, type ErrorCause, errorCauses } from './error-causes.ts';
import {
  describeSituation,
  judgeSituation,
  type Named,
  type Sent,
  type SituationId,
} from './error-situations.ts';
import { type ErrorText, errorTexts, type TextOrigin } from './error-texts.ts';
import { situationOfStatus } from './http-status.ts';
import { readReportedError } from './stack-trace.ts';

/** More bytes or characters are not searched: error pages name their exception early. */
export const searchedLength = 16 * 1024;

/** An error text, taken apart; what it means in this interface as far as it is known. */
export interface ErrorReading {
  /** In one line, without a full stop; empty where the text is unknown. */
  readonly title: string;
  readonly situation?: SituationId;
  /** The wording of the table, or none: the HTTP status decided, or nothing did. */
  readonly known?: ErrorText;
  /** As it was found, with the name of the exception before it; `…` for what may be user data. */
  readonly quote: string;
  /** The exception, such as `javax.crypto.BadPaddingException`. */
  readonly type?: string | undefined;
  readonly stack?: Stack | undefined;
  /** The first frame that isn't a library's: `app.py:41`. */
  readonly source?: string | undefined;
  /** What it is about: a field of the interface, or a name of the application's own. */
  readonly field?: string | undefined;
  /** At most two, the likelier first. */
  readonly causes: readonly (ErrorCause & { readonly id: CauseId })[];
  /** How sure the first cause is; none where an experiment has to decide, or nothing is known. */
  readonly confidence?: Confidence | undefined;
}

/**
 * Reads a message, a stack trace or the body of an error page: the first known error in it, what is named
 * there, and the likely causes. The HTTP status decides where the text is unknown, or only about fields.
 * Undefined for a text that shows no error at all.
 */
export function readErrorText(raw: string, sent: Sent = {}): ErrorReading | undefined {
  const text = readable(raw.slice(0, searchedLength));
  const found = findText(text);
  const situation = found?.known.situation;
  const ofStatus = situationOfStatus(sent.status);
  const isOutranked = situation === undefined || describeSituation(situation).about === 'fields';
  const quote = found ? namedException(text.slice(0, found.match.index)) + found.wording : '';
  const type = typeIn(quote || text);
  const lines = text.replace(/\\t/g, '\t').split(/\r?\n|(?:\\r)?\\n|<br ?\/?>/);
  const source = readReportedError(lines)?.source;
  const stack = found ? stackOf(found.known.origin, text) : stackOfText(text);
  const facts = { quote, type, stack, source };
  if (ofStatus !== undefined && isOutranked) {
    return { ...judge(ofStatus, { text: '', whole: '', named: [], sent }), ...facts };
  }
  if (found === undefined || situation === undefined) {
    if (type === undefined && source === undefined) return undefined;
    return { title: '', causes: [], ...facts, quote: messageOf(text, type) };
  }
  const surroundings = around(text, found.match);
  const named = namesIn(text, surroundings, found, sent);
  const judged = judge(situation, { text: surroundings, whole: text, named, sent });
  const [first] = named;
  const field = first?.field ?? (first?.name === '…' ? undefined : first?.name);
  return { ...judged, ...facts, known: found.known, field };
}

/** The situation with its causes, in which what the text names stands for the placeholders. */
function judge(situation: SituationId, found: Parameters<typeof judgeSituation>[1]) {
  const { causes, confidence, detail = '' } = judgeSituation(situation, found);
  const [first] = found.named;
  const declared = declaredType.exec(found.text)?.slice(1).find(Boolean) ?? 'another type';
  const { field = first?.name ?? 'a field' } = first ?? {};
  const [camel, pascal] = namesInCode(field);
  const values: Readonly<Record<string, string>> = {
    field,
    camel,
    pascal,
    name: first?.name ?? 'a name',
    declared,
    detail,
  };
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
  return {
    situation,
    title: describeSituation(situation).title,
    confidence,
    causes: causes.map((id) => {
      const cause: ErrorCause = errorCauses[id];
      const calls = Object.entries(cause.calls ?? {}).map(([stack, call]) => [stack, filled(call)]);
      const texts = { cause: filled(cause.cause), fix: filled(cause.fix) };
      return { ...cause, id, ...texts, calls: Object.fromEntries(calls) };
    }),
  };
}

type FoundText = NonNullable<ReturnType<typeof findText>>;

let searched: readonly Searched[] | undefined;

function findText(text: string) {
  const lowerCase = text.toLowerCase();
  searched ??= errorTexts.map(searchedFor);
  for (const known of searched) {
    // A pattern is made only where it may match: most responses contain none of these texts.
    if (!lowerCase.includes(known.landmark)) continue;
    const match = patternOf(known).exec(text);
    if (match !== null) return { known, match, wording: worded(known.parts, match) };
  }
  return undefined;
}

/** A field of the interface as code may spell it, with an accessor's prefix or as a title. */
const fieldName =
  /(?<![A-Za-z0-9])(?:get|set|is)?(client|used|ptn|public|partner|ubi)[ _.-]?(id|type|cd|key|sp|fill)(?![A-Za-z0-9])/gi;
const fields = ['client_id', 'used_type', 'ptn_cd', 'public_key', 'partner_sp', 'ubifill'];

/** Where validators and parsers write what they are about. */
const paths = [
  /struct field (?:[\w$]+\.)*([\w$]+) of type/,
  /Path: \$\.?([\w$]+)/,
  /reference chain: [^\n]{0,200}?\["([\w$]+)"\]/,
  /"loc": ?\["(?:body|query|form)", ?"([^"\n]{1,60})"/,
  /\[(?:body|query|form), ([\w$]+)\]|\b(?:body|query) -> ([\w$]+)/,
  /\bbody[./]([\w$]+) must\b/,
  /"path": ?\["([\w$]+)"\]/,
  /\bPath '([\w$]+)', line/,
  /"field": ?"([\w$.]+)"/,
  /^([\w.]+)\n {2}(?:Input|Field|String|Extra|Value)/m,
];

/** What the text is about: the names that its wording captures, else those of a path or beside it. */
function namesIn(
  text: string,
  surroundings: string,
  found: FoundText,
  sent: Sent,
): readonly Named[] {
  const { known, match } = found;
  const all = namesOfEach(known, text);
  const captured = all.length > 0 ? all : capturedByPath(text, match.index);
  const beside = surroundings.match(fieldName) ?? [];
  return [...captured, ...(captured.length > 0 ? [] : beside)].map((name) => ({
    name: shownName(name),
    field: fieldOf(name),
    isUser: name === sent.ptnCd || /^authcli-[0-9a-f]{12}$/.test(name),
  }));
}

/** A validator lists every field that it refuses. */
function namesOfEach(known: Searched, text: string): readonly string[] {
  const values = known.parts.filter((part) => part in placeholders);
  const index = values.findIndex((part) => part === '<name>' || part === '<field>') + 1;
  if (index === 0) return [];
  return [...text.matchAll(new RegExp(patternOf(known), 'gi'))]
    .slice(0, 20)
    .map((one) => one[index] ?? '');
}

function capturedByPath(text: string, index: number): readonly string[] {
  const near = text.slice(Math.max(0, index - 200), index + 600);
  for (const path of paths) {
    const [, name, other] = path.exec(near) ?? [];
    if (name !== undefined || other !== undefined) return [name ?? other ?? ''];
  }
  return [];
}

/** The first field of the interface that a text names. */
export function fieldIn(text: string): string | undefined {
  return text.slice(0, searchedLength).match(fieldName)?.map(fieldOf).find(Boolean);
}

function fieldOf(name: string): string | undefined {
  const bare = normaliseName(name).replace(
    /^(?:get|set|is)(?=client|used|ptn|pub|partner|ubi)/,
    '',
  );
  return fields.find((field) => normaliseName(field) === bare.replace(/\(\)$/, ''));
}

/** "used type" is how Laravel writes used_type; a long name may be a key. */
function shownName(name: string): string {
  const field = fieldOf(name);
  if (field !== undefined && name.includes(' ')) return field;
  return name.length <= 40 && /^[\w$.[\]-]+$/.test(name) ? name : '…';
}

const declaredType =
  /of type `?([\w.[\]$*]{1,40})|converted to (?:System\.)?(\w{1,40})|(?:must be|be a valid|be an?|Expected|expected|expected:) ?"?(?:an? )?(?:valid )?(integer|number|boolean|int|float)\b/;

/** The exception of a text. */
function typeIn(text: string): string | undefined {
  return /(?:[\w$]{1,60}[.\\]|::){0,8}[A-Z][\w$]{0,60}(?:Exception|Error)\b/.exec(text)?.[0];
}

/** The exception with its message, for a text that is unknown: to the end of the line, or of a JSON string. */
function messageOf(text: string, type = ''): string {
  const [, inRuby] = /:in [`'][^'\n]{0,200}': ([^\n]{1,900} \([A-Z][\w:]{0,80}\))/.exec(text) ?? [];
  if (inRuby !== undefined) return excerptOf(inRuby, 160);
  const [message = ''] = text.slice(text.indexOf(type)).split(/\n|\\[nr]|"[,}\]]/, 1);
  return excerptOf(message.trim(), 160);
}

/**
 * The stack that a response was made with, by its error text, its stack trace, its error page or its
 * headers; undefined where nothing decides. A choice of language for examples, never a verdict.
 */
export function recogniseStack(headers: HeaderLines, body: Uint8Array): Stack | undefined {
  const text = Buffer.from(body.subarray(0, searchedLength)).toString('latin1');
  const named = headerSigns.find(([name, , pattern]) =>
    headers.some(([header, value]) => header.toLowerCase() === name && pattern.test(value)),
  );
  return stackOfText(text) ?? readErrorText(text)?.stack ?? named?.[1];
}

type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The wording as it was found, without what may be user data. */
function worded(parts: readonly string[], match: RegExpExecArray): string {
  const found = match.slice(1).values();
  let position = 0;
  return parts
    .map((part) => {
      const isLiteral = !(part in placeholders);
      const value: string = isLiteral ? part : (found.next().value ?? '');
      const text = match[0].slice(position, position + value.length);
      position += value.length;
      if (part === '<name>') return shownName(text);
      return part === '…' ? part : text;
    })
    .join('');
}

/** From the field that a validator names before its message to the end of the sentence. */
function around(text: string, { 0: match, index }: RegExpExecArray): string {
  const end = index + match.length;
  const [after = ''] = /^[^"<\n]{0,80}/.exec(text.slice(end, end + 80)) ?? [];
  const before = text.slice(Math.max(0, index - 60), index);
  return before.slice(before.lastIndexOf('\n') + 1) + match + after;
}

/** A trace decides between languages that share libraries, such as Java and Kotlin. */
function stackOf(origin: TextOrigin, text: string): Stack | undefined {
  const own = stacks.find((stack) => stack === origin);
  const seen = stackOfText(text);
  return own === undefined || (own === 'java' && seen === 'kotlin') ? seen : own;
}

/** The full name of the exception in front of its message: "javax.crypto.BadPaddingException: ". */
function namedException(before: string): string {
  return (
    /(?:[\w$]{1,40}[.\\]){0,8}(?:[A-Z][\w$]{0,40}: |(?<=\.))$/.exec(before.slice(-200))?.[0] ?? ''
  );
}

const placeholders: Readonly<Record<string, string>> = {
  '<n>': '(\\d{1,12})',
  '<hex>': '([0-9a-fA-F]{1,8})',
  '<field>': '((?:client|used|ptn|public|partner|ubi)[ _.-]?(?:id|type|cd|key|sp|fill))',
  '<name>': '([^\\n"\'`]{1,80}?)',
  '…': '([^\\n]{0,160}?)',
  '<end>': '()(?!:?[ \\t]*[^\\s:<"\'`,;})(\\]\\\\])',
};

type Searched = ReturnType<typeof searchedFor>;

/** A text of the table with its parts, placeholders among them, and the longest other one in lower case. */
function searchedFor(entry: ErrorText) {
  const parts = entry.text
    .split(/(<n>|<hex>|<name>|<field>|<end>|…)/)
    .filter((part) => part !== '');
  const texts = parts.filter((part) => !(part in placeholders));
  const landmark = texts.reduce((longest, text) => (text.length > longest.length ? text : longest));
  return { ...entry, parts, landmark: landmark.toLowerCase() };
}

function patternOf({ text, parts }: Searched): RegExp {
  const source = parts
    .map((part) => placeholders[part] ?? part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('');
  const start = /^\w/.test(text) ? '(?<![A-Za-z0-9_])' : '';
  const end = /\w$/.test(text) ? '(?![A-Za-z0-9_])' : '';
  return new RegExp(start + source + end, 'i');
}

/** Without the escapes of HTML and JSON in which error pages quote texts. */
function readable(text: string): string {
  return (
    text
      .replace(/&(?:quot|#34|#x22);/gi, '"')
      .replace(/&(?:apos|#39|#x27);/gi, "'")
      .replace(/&lt;/gi, '<')
      .replace(/&gt;/gi, '>')
      .replace(/&nbsp;/gi, ' ')
      .replace(/&amp;/gi, '&')
      .replace(/\\(["'/])/g, '$1')
      .replace(/\\u((?!00[01])[0-9a-f]{4})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
      .replace(/<\/?b>/g, '')
      // Lambda writes an exception so.
      .replace(/"errorMessage": ?"([^"\n]{0,300})", ?"errorType": ?"([\w.]{1,80})"/, '$2: $1')
      .replace(/[\u2018\u2019]/g, "'")
  );
}

/** The stack whose traces and error pages look like this text. */
function stackOfText(text: string): Stack | undefined {
  return textSigns.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Frames of stack traces first: they decide, where an exception's name may be quoted by others. */
const textSigns: readonly (readonly [stack: Stack, pattern: RegExp])[] = [
  ['kotlin', /\([\w$]+\.kt:\d+\)|\bkotlinx?(?:\.\w+)*\.\w+Exception|\bio\.ktor\./],
  ['java', /\bat [\w$.<>/]+\((?:[\w$]+\.java:\d+|Native Method|Unknown Source)\)/],
  ['java', /\b(?:javax?|jakarta|org\.springframework|org\.bouncycastle|com\.fasterxml)\.[\w.$]+/],
  ['java', /Whitelabel Error Page|\{"timestamp":[^{}]*"status":\d{3},"error":"|Apache Tomcat\//],
  ['python', /Traceback \(most recent call last\)|File "[^"]{1,300}\.py", line \d+/],
  ['python', /Werkzeug|Server Error \(500\)|\bdjango\.|\{"detail":(?:"|\[\{"(?:type|loc)")/],
  ['python', /the server is overloaded or there is an error in the application/i],
  [
    'csharp',
    /\bSystem\.(?:[A-Z]\w+\.)*\w+Exception|\bin \S.{0,300}\.cs:line \d+|\bMicrosoft\.AspNetCore\./,
  ],
  ['csharp', /"type":"https:\/\/tools\.ietf\.org\/html\/rfc\d+#section-[^{}]*"traceId":/],
  [
    'php',
    /\.php(?: on line |:|\()\d+|PHP (?:Fatal|Warning|Notice|Parse)|\bIlluminate\\|\bSymfony\\/,
  ],
  ['php', /<b>(?:Fatal error|Warning|Notice|Deprecated)<\/b>: /],
  ['ruby', /\.rb:\d+:in [`']|\bOpenSSL::|\bActiveRecord::|\bAction(?:Controller|Dispatch)::/],
  ['go', /\bgoroutine \d+ \[|\.go:\d+\b|^panic: |\bruntime error: |http: panic serving/m],
  [
    'go',
    /^404 page not found\s*$|\bcrypto\/(?:cipher|aes|rsa): |\bcipher: message authentication failed/,
  ],
  ['node', /^[ \t]*at .{0,120}?(?:\.[cm]?[jt]s|node:[\w/]{1,60}):\d+:\d+\)?/m],
  [
    'node',
    /\bERR_(?:OSSL|CRYPTO|INVALID_ARG|ENCODING)_|<pre>Cannot (?:POST|GET) \/|\{"statusCode":\d{3},/,
  ],
];

const headerSigns: readonly (readonly [header: string, stack: Stack, pattern: RegExp])[] = [
  ['x-powered-by', 'php', /\bPHP\b/i],
  ['x-powered-by', 'node', /^(?:Express|Next\.js|Nuxt|Sails|Koa|Fastify|hapi|NestJS|actionhero)/i],
  ['x-powered-by', 'java', /\b(?:Servlet|JSP|JSF|Undertow|Tomcat|JBoss|Spring)\b/i],
  ['x-powered-by', 'csharp', /^ASP\.NET/i],
  ['server', 'php', /\bPHP\/\d/i],
  ['server', 'python', /\b(?:Werkzeug|gunicorn|uvicorn|hypercorn|daphne|waitress|CherryPy)\b/i],
  ['server', 'python', /\b(?:WSGIServer|TornadoServer|Twisted|C?Python|mod_wsgi)\b/i],
  ['server', 'ruby', /\b(?:WEBrick|Puma|Unicorn|thin|Mongrel|Ruby)\b/i],
  ['server', 'kotlin', /^Ktor\b/i],
  ['server', 'java', /\b(?:Jetty|Apache-Coyote|Tomcat|Undertow|WildFly|JBoss|GlassFish)\b/i],
  ['server', 'java', /\b(?:WebLogic|WebSphere|Payara|Micronaut|Netty)\b/i],
  ['server', 'csharp', /\bKestrel\b|Microsoft-HTTPAPI/i],
  ['server', 'go', /^(?:fasthttp|beegoServer)\b/i],
  ['x-aspnet-version', 'csharp', /./],
  ['x-aspnetmvc-version', 'csharp', /./],
  ['x-application-context', 'java', /./],
  ['x-runtime', 'ruby', /^\d+\.\d+$/],
  ['set-cookie', 'java', /^JSESSIONID=/],
  ['set-cookie', 'php', /^(?:PHPSESSID|laravel_session)=/],
  ['set-cookie', 'node', /^connect\.sid=/],
  ['set-cookie', 'csharp', /^(?:ASP\.NET_SessionId|\.AspNetCore\.)/],
  ['set-cookie', 'python', /^csrftoken=/],
];
