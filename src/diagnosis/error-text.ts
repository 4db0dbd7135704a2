import { type Stack, stacks } from '../errors.ts';
import type { SituationId } from './error-situations.ts';
import { type ErrorText, errorTexts, type TextOrigin } from './error-texts.ts';

/** A library's error that was found in a text. */
export interface RecognisedError extends Omit<ErrorText, 'origin'> {
  /** As it was found, with the name of the exception before it; `…` for what may be user data. */
  readonly quote: string;
  /** What is around it in its line, which may name what it is about; not to be shown. */
  readonly surroundings: string;
  readonly stack: Stack | undefined;
  /** What the numbers in it say, as a sentence. */
  readonly detail: string | undefined;
}

/** More bytes or characters are not searched: error pages name their exception early. */
export const searchedLength = 16 * 1024;

/** A text of the table, and how it is looked for. */
interface Searched extends ErrorText {
  /** The text between placeholders, and the placeholders. */
  readonly parts: readonly string[];
  /** The longest text between placeholders, in lower case. */
  readonly landmark: string;
}

let searched: readonly Searched[] | undefined;

/** The first known error in a message, a stack trace or the body of an error page. */
export function recogniseErrorText(raw: string): RecognisedError | undefined {
  const text = readable(raw.slice(0, searchedLength));
  const lowerCase = text.toLowerCase();
  searched ??= errorTexts.map(partsOf);
  for (const { situation, origin, text: known, parts, landmark } of searched) {
    // A pattern is made only where it may match: most responses contain none of these texts.
    const match = lowerCase.includes(landmark) ? patternOf(known, parts).exec(text) : null;
    if (match === null) continue;
    const wording = worded(parts, match);
    return {
      situation,
      text: known,
      quote: namedException(text.slice(0, match.index)) + wording,
      surroundings: around(text, match),
      stack: stackOf(origin, text),
      detail: detailOf(situation, wording),
    };
  }
  return undefined;
}

/**
 * The stack that a response was made with, by its error text, its stack trace, its error page or its
 * headers; undefined where nothing decides. A choice of language for examples, never a verdict.
 */
export function recogniseStack(headers: HeaderLines, body: Uint8Array): Stack | undefined {
  const text = Buffer.from(body.subarray(0, searchedLength)).toString('latin1');
  return stackOfText(text) ?? recogniseErrorText(text)?.stack ?? stackOfHeaders(headers);
}

/** The library's wording with the numbers that were found. */
function worded(parts: readonly string[], match: RegExpExecArray): string {
  const found = match.slice(1).values();
  return parts
    .map((part) => {
      if (!(part in placeholders)) return part;
      const value: string | undefined = found.next().value;
      return part === '…' ? part : (value ?? '');
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
  return /(?:[\w$]{1,40}[.\\]){0,8}(?:[\w$]{1,40}: |(?<=\.))$/.exec(before.slice(-200))?.[0] ?? '';
}

const placeholders: Readonly<Record<string, string>> = {
  '<n>': '(\\d{1,12})',
  '<hex>': '([0-9a-fA-F]{1,8})',
  '<field>': '(client_id|used_type|ptn_cd|public_key|partner_sp|ubifill)',
  '…': '([^\\n]{0,160}?)',
  '<end>': '()(?!:?[ \\t]*[^\\s:<"\'`,;})(\\]\\\\])',
};

function partsOf(entry: ErrorText): Searched {
  const parts = entry.text.split(/(<n>|<hex>|<field>|<end>|…)/).filter((part) => part !== '');
  const texts = parts.filter((part) => !(part in placeholders));
  const landmark = texts.reduce((longest, text) => (text.length > longest.length ? text : longest));
  return { ...entry, parts, landmark: landmark.toLowerCase() };
}

function patternOf(text: string, parts: readonly string[]): RegExp {
  const source = parts.map((part) => placeholders[part] ?? escaped(part)).join('');
  const start = /^\w/.test(text) ? '(?<![A-Za-z0-9_])' : '';
  const end = /\w$/.test(text) ? '(?![A-Za-z0-9_])' : '';
  return new RegExp(start + source + end, 'i');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  '#34': '"',
  '#x22': '"',
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
};

/** Without the escapes of HTML and JSON in which error pages quote texts. */
function readable(text: string): string {
  return text
    .replace(
      /&(quot|apos|#39|#x27|#34|#x22|lt|gt|amp|nbsp);/gi,
      (whole, name: string) => entities[name.toLowerCase()] ?? whole,
    )
    .replace(/\\(["'/])/g, '$1')
    .replace(/\\u0027/g, "'")
    .replace(/[\u2018\u2019]/g, "'");
}

/** What the values in an error text say about its cause, as a sentence; undefined where nothing. */
function detailOf(situation: SituationId, quote: string): string | undefined {
  const found = (pattern: RegExp) => pattern.exec(quote)?.[1] ?? '';
  const position = found(/in position (\d+)/);
  if (situation === 'not-text') {
    return position !== '' && Number(position) < 16
      ? `Position ${position} is in the first block: a wrong IV damages that block alone.`
      : undefined;
  }
  // The first number of "Invalid key size (264) for AES" is in bits; others name the lengths allowed.
  const bits = found(/Invalid key size \((\d+)\)/i);
  const keyLength = bits ? Number(bits) / 8 : found(/key (?:length: |length \(|size )(\d+)/i);
  const meanings: Partial<Record<SituationId, string | undefined>> = {
    'key-bytes': keyLengths[keyLength],
    'not-base64-text': base64Characters[found(/base64 character ([0-9a-f]+)/i).toLowerCase()],
    'iv-bytes': ivLengths[found(/IV (?:size \(|passed is (?:only )?)(\d+)/i)],
  };
  return meanings[situation] && `In this case: ${meanings[situation]}.`;
}

/** How a key of 32 characters gets another length. */
const keyLengths: Readonly<Record<string, string>> = {
  0: 'the stored key is empty',
  16: '32 hexadecimal digits decode to 16 bytes',
  20: '20 bytes are the length of a SHA-1 digest',
  24: '32 characters of Base64 decode to 24 bytes',
  31: 'one character was cut off',
  33: 'there is one character too many, such as a line end',
  34: 'there are two characters too many: quotation marks, or CR and LF',
  44: '44 characters are 32 bytes in Base64',
  64: '64 bytes are 32 characters in UTF-16, or 32 bytes in hexadecimal',
  256: '256 bytes are the encrypted key, not the key',
  344: '344 characters are the encrypted key in Base64, not the key',
};

const base64Characters: Readonly<Record<string, string>> = {
  '2d': '"-" belongs to base64url',
  '5f': '"_" belongs to base64url',
  '20': 'form decoding turned "+" into a space',
  a: 'the text contains a line feed: use the MIME decoder, or send it on one line',
  d: 'the text contains a carriage return: it was broken into lines',
  '22': 'the text contains a quotation mark: it was serialised twice',
  '25': '"%" comes from URL encoding',
  '3a': '":" occurs in neither encoding: this is another value',
};

const ivLengths: Readonly<Record<string, string>> = {
  0: 'no bytes were left for it',
  12: '12 bytes are the usual IV of GCM',
  24: '24 characters are an IV of 16 bytes in Base64: decode it',
  32: '32 bytes are the whole key, or an IV in hexadecimal',
  128: 'the length was given as 128 bits instead of 16 bytes',
};

type HeaderLines = readonly (readonly [name: string, value: string])[];

type Sign = readonly [stack: Stack, pattern: RegExp];

/** The stack whose traces and error pages look like this text. */
const stackOfText = (text: string) => first(textSigns, text);

/** The stack that the headers of a response name. */
function stackOfHeaders(headers: HeaderLines): Stack | undefined {
  return Object.entries(headerSigns)
    .flatMap(([name, signs]) =>
      headers.map(([header, value]) =>
        header.toLowerCase() === name ? first(signs, value) : undefined,
      ),
    )
    .find((stack) => stack !== undefined);
}

function first(signs: readonly Sign[], text: string): Stack | undefined {
  return signs.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Frames of stack traces first: they decide, where an exception's name may be quoted by others. */
const textSigns: readonly Sign[] = [
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

const headerSigns: Readonly<Record<string, readonly Sign[]>> = {
  'x-powered-by': [
    ['php', /\bPHP\b/i],
    ['node', /^(?:Express|Next\.js|Nuxt|Sails|Koa|Fastify|hapi|NestJS|actionhero)/i],
    ['java', /\b(?:Servlet|JSP|JSF|Undertow|Tomcat|JBoss|Spring)\b/i],
    ['csharp', /^ASP\.NET/i],
  ],
  server: [
    ['php', /\bPHP\/\d/i],
    [
      'python',
      /\b(?:Werkzeug|gunicorn|uvicorn|hypercorn|daphne|waitress|CherryPy|WSGIServer|TornadoServer|Twisted|C?Python|mod_wsgi)\b/i,
    ],
    ['ruby', /\b(?:WEBrick|Puma|Unicorn|thin|Mongrel|Ruby)\b/i],
    ['kotlin', /^Ktor\b/i],
    [
      'java',
      /\b(?:Jetty|Apache-Coyote|Tomcat|Undertow|WildFly|JBoss|GlassFish|WebLogic|WebSphere|Payara|Micronaut|Netty)\b/i,
    ],
    ['csharp', /\bKestrel\b|Microsoft-HTTPAPI/i],
    ['go', /^(?:fasthttp|beegoServer)\b/i],
  ],
  'x-aspnet-version': [['csharp', /./]],
  'x-aspnetmvc-version': [['csharp', /./]],
  'x-application-context': [['java', /./]],
  'x-runtime': [['ruby', /^\d+\.\d+$/]],
  'set-cookie': [
    ['java', /^JSESSIONID=/],
    ['php', /^(?:PHPSESSID|laravel_session)=/],
    ['node', /^connect\.sid=/],
    ['csharp', /^(?:ASP\.NET_SessionId|\.AspNetCore\.)/],
    ['python', /^csrftoken=/],
  ],
};
