import { decodeBase64Lenient, decodeHex, decodeUtf8 } from '../bytes.ts';
import { withoutEnd } from '../text.ts';
import { isJsonObject, parseJsonText, readJson } from './json.ts';

/**
 * The names whose values are secret, wherever they are: those of the interface (section 2.1), and of credentials. In
 * any case, with any separator between their words or none, and behind any prefix: `secretKey`, `X-Api-Key`.
 */
const secretNames = [
  ...['secret key', 'acs token', 'ptn token', 'access token', 'refresh token', 'auth token'],
  ...['api key', 'client secret', 'authorization', 'cookie', 'password'],
];

/** Whether the value of a field, a parameter or a header of that name is secret, whatever it is. */
export function isSecretName(name: string): boolean {
  return secretEnd.test(name.replace(/[^a-z0-9]/gi, ''));
}

const secretEnd = new RegExp(`(?:${secretNames.join('|').replaceAll(' ', '')})$`, 'i');

/** The host in HTTP/2, which scheme a server asks for, and the id of a check. */
const withoutCredentials = /^(?::authority|www-authenticate|proxy-authenticate|x-authcli-check)$/i;

/** Whether the values of headers of that name are credentials: among headers, more names are. */
export function carriesCredentials(name: string): boolean {
  const mayCarry = /auth|cookie|token|secret|key|session|password|signature/i.test(name);
  return mayCarry && !withoutCredentials.test(name);
}

/**
 * The secrets of a JSON value by the names of their fields, at any depth: a peer may send a token as
 * a number, or in an array or object.
 */
function secretTextsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(secretTextsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    isSecretName(name) ? textsIn(item) : secretTextsIn(item),
  );
}

/** Shorter numbers occur by chance: they are hidden only in their field. */
const numberFrom = 6;

/** A number is the text that JSON writes for it. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number')
    return [String(value)].filter(({ length }) => length >= numberFrom);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const namePattern = new RegExp(
  `(?:${secretNames.map((words) => words.replace(' ', '[-_. ]?')).join('|')})(?![\\w-])`,
  'gi',
);

/** What is between a name and its value: in code, forms and headers; in what authcli writes. */
const separators = {
  peer: /(?:\[\d{0,3}\])?[\s"'`\]\\)]{0,9}(?:=>|[:=])(?:\s{0,99}(?:string\(\d{1,9}\) |[ub])?(?=["'`[{])|[ \t]{0,99})/y,
  own: /"\s{0,9}:\s{0,9}(?=["\d-])|=/y,
};
const restOfTag = /[^<>]{0,999}>/y;
/** A value beside its name: `name="secret_key" value="…"`, `<key>secret_key</key><string>…`. */
const besideName = /["']\s{0,9},?\s{0,9}["']?value["']?\s{0,9}[:=]\s{0,9}(?=["'[{])/iy;
const nextElement = /<\/[\w:.-]{1,40}>\s{0,99}<(?:string|value|data|td|dd)\b[^<>]{0,200}>/iy;
/** Of YAML below its name: a block, a list, or one word. */
const below =
  /(?:[|>][-+\d]{0,2}[ \t]{0,9}\r?\n([ \t]+)[^\n]*(?:\n\1[^\n]*)*|\r?\n([ \t]*- )[^\n]*(?:\n\2[^\n]*)*|\r?\n[ \t]+[^\s:]+(?=\s*\n|\s*$))/y;
const headsOfPart = /["']?[^\n]{0,999}(?:\n[^\n]{2,999}){0,9}\n\r?\n/y;

const quoteEnds = String.raw`(?=[\s,;:}\])>&/]|$)`;

/** Values, each to its end. */
const values = {
  '"': new RegExp(String.raw`(?:\\[\s\S]|[^"\\]|"(?!${quoteEnds}))*`, 'y'),
  "'": new RegExp(String.raw`(?:\\[\s\S]|[^'\\]|'(?!${quoteEnds}))*`, 'y'),
  '`': /(?:\\[\s\S]|[^`\\])*/y,
  /** Of a query. */
  parameter: /(?:[^&\s"'<>]|["'](?![\s,;)\]}&]|$))*/y,
  /** Behind `=`: also several words, up to the next field. */
  form: /(?:[^&\s"'<>]|["'](?![\s,;)\]}&]|$)|[ \t](?!\s{0,9}[\w.-]{1,60}[=:]))*/y,
  /** Behind `:` or `=>`: the rest of the line, up to the next field or the end of an object. */
  line: /(?:[^\r\n<"',;)\]}]|<(?!\/|br)|["'](?![\s,;)\]}]|$)|[,;](?!\s{0,99}["']?[\w.-]{1,60}["']?\s{0,9}[:=])|[)\]}](?![\s,;)\]}]|$))*/y,
};

/** What documents and shells write for a value, the password of Java's own store, and JSON's values that are none. */
const placeholder =
  /^(?:\[redacted\]|changeit|…|\.{3}|\*+|<[\w -]{1,40}>|\$\{?[A-Z][A-Z0-9_]*\}?|'"\$.*|(?:env|file|cmd):.*|null|true|false)?\s*$/s;

/**
 * Where the values of secret names are in what a peer wrote: JSON or nearly so, code, forms, headers, XML, multipart.
 * In what authcli writes, which talks about such names, only in JSON, forms and queries.
 */
export function* secretValuesIn(
  text: string,
  writer: 'peer' | 'own' = 'peer',
): Generator<readonly [start: number, end: number]> {
  const pattern = new RegExp(namePattern);
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const { index, 0: name } = found;
    const next = index + name.length;
    const behind = writer === 'peer' ? valueBehind(text, index, next) : ownValueBehind(text, next);
    const [start, end] = behind ?? [next, next];
    if (!placeholder.test(text.slice(start, end))) yield [start, end];
    // What was a value isn't searched again, so that the time is linear.
    pattern.lastIndex = Math.max(next, end);
  }
}

type Range = readonly [start: number, end: number];

function ownValueBehind(text: string, next: number): Range | undefined {
  const from = endOf(separators.own, text, next);
  const found = from && valueAt(text, from, text[next] === '=' ? 'parameter' : 'line');
  // Shorter texts are words of a sentence or a document.
  return found && (found[1] - found[0] >= 6 || /\d/.test(text.charAt(found[0])))
    ? found
    : undefined;
}

/** The value of the name that is from `at` to `next`. */
function valueBehind(text: string, at: number, next: number): Range | undefined {
  const before = text.slice(Math.max(0, at - 90), at);
  const upTo = (from: number, end: string): Range => {
    const found = text.indexOf(end, from);
    return [from, found === -1 ? text.length : found];
  };
  const [, tag] = /<((?:[\w.-]{1,40}:)?[\w.-]{0,40})$/.exec(before) ?? [];
  if (tag !== undefined) {
    const from = endOf(restOfTag, text, next);
    if (from === undefined) return undefined;
    return text[from - 2] === '/' ? [next, from] : upTo(from, `</${tag}${text.slice(at, next)}`);
  }
  const from = endOf(separators.peer, text, next);
  if (from !== undefined) {
    const end = endOf(below, text, from);
    if (end !== undefined) return [from, end];
    if (!/=\s*$/.test(text.slice(next, from))) return valueAt(text, from, 'line');
    return valueAt(text, from, /[?&][\w.-]{0,40}$/.test(before) ? 'parameter' : 'form');
  }
  const element = endOf(nextElement, text, next);
  if (element !== undefined) return upTo(element, '</');
  const beside = endOf(besideName, text, next);
  if (beside !== undefined) return valueAt(text, beside, 'line');
  const part = /\bname=["']?[\w.-]{0,40}$/.test(before)
    ? endOf(headsOfPart, text, next)
    : undefined;
  return part === undefined ? undefined : upTo(part, '\n--');
}

/** Where a sticky pattern ends that begins there. */
function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function valueAt(
  text: string,
  from: number,
  kind: 'parameter' | 'form' | 'line',
): Range | undefined {
  const first = text.charAt(from);
  // Of an escaped text, which is searched again without its escapes.
  if (first === '\\') return undefined;
  if (first === '"' || first === "'" || first === '`')
    return [from + 1, endOf(values[first], text, from + 1) ?? text.length];
  const isNested = kind !== 'parameter' && /[[{]/.test(first);
  const end = isNested ? endOfBrackets(text, from) : from;
  return [from, endOf(values[kind], text, end) ?? end];
}

/** Where what an opening bracket begins is closed; the end of the text if nowhere. */
function endOfBrackets(text: string, from: number): number {
  const parts = /"(?:\\[\s\S]|[^"\\])*["\\]?|'(?:\\[\s\S]|[^'\\])*['\\]?|[[{(]|[\]})]/g;
  parts.lastIndex = from;
  let depth = 0;
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    if (/^[[{(]/.test(part[0])) depth += 1;
    else if (/^[\]})]/.test(part[0])) depth -= 1;
    if (depth === 0) return parts.lastIndex;
  }
  return text.length;
}

/**
 * The secret parts of such a value: all of it, the values of cookies, the password of Basic, and `Bearer abc`
 * without its scheme (RFC 9110 11.4), which comes last.
 */
export function credentialForms(value: string): readonly string[] {
  const [, ...password] = basicCredentials(value);
  const parts = [...cookieValues(value), password.join(':')].filter((part) => part !== '');
  return [value, ...parts, value.replace(/^[A-Za-z][A-Za-z0-9-]* +/, '')];
}

const cookieAttributes = /^(?:domain|expires|max-age|path|priority|samesite|version)$/i;

/** Shorter ones, such as `theme=dark`, are words that occur elsewhere. */
const cookieValueFrom = 8;

/** Of Cookie and Set-Cookie (RFC 6265 4). */
function cookieValues(header: string): readonly string[] {
  return [...header.matchAll(/(?:^|; *)([^\s=;,"]+)="?([^;"]*)/g)]
    .filter(([, name = '']) => !cookieAttributes.test(name))
    .map(([, , value = '']) => value)
    .filter(({ length }) => length >= cookieValueFrom);
}

/** Shorter values of a peer's headers, such as versions, occur elsewhere by chance. */
const credentialFrom = 6;

/** What is secret in a message by the names of its headers, parameters and fields, to be hidden elsewhere too. */
export function secretsInMessage(message: {
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  readonly query?: string | undefined;
  readonly body: Uint8Array;
}): readonly string[] {
  const { headers = [], query = '', body } = message;
  const credentials = headers.filter(([name]) => carriesCredentials(name));
  const reading = readJson(body);
  const found = [
    ...credentials.flatMap(([, value]) => credentialForms(value)),
    ...(reading.ok ? [] : looseSecretsIn(decodeUtf8(body) ?? Buffer.from(body).toString('latin1'))),
  ].filter(({ length }) => length >= credentialFrom);
  const inQuery = [...new URLSearchParams(query)].map(([name, value]) => ({ [name]: value }));
  return [...found, ...secretTextsIn([...inQuery, reading.ok && reading.value])];
}

/** The values of secret names in a text that isn't exact JSON. */
function looseSecretsIn(text: string): readonly string[] {
  return [...secretValuesIn(text)].flatMap((range) => textsOfValue(text.slice(...range)));
}

/** As it is written, without its escapes, and what is in it if it is an array or object. */
function textsOfValue(value: string): readonly string[] {
  if (/^[[{]/.test(value)) return value.split(/["'[\]{},:]+/);
  const unescaped = value.includes('\\') ? parseJsonText(`"${value}"`) : undefined;
  const closed = withoutEnd(value, ',;)]}');
  const texts = [value, closed, typeof unescaped === 'string' ? unescaped : value];
  return [...new Set(texts)];
}

/**
 * Where the secret key is outside the body (section 5.1: it is sent in the body, no header is
 * involved), as words for a message: "the path", "the query", "the header authorization". A
 * `secret_key` in the query counts whatever its value; elsewhere the secret itself does, plain,
 * URL-encoded, in hexadecimal or in Base64, as in Basic authentication (RFC 7617). Headers are by lower-case name.
 */
export function secretPlaces(
  request: { path: string; query?: string; headers: Readonly<Record<string, string>> },
  secretKey: string,
): readonly string[] {
  const { path, query = '', headers } = request;
  const parameters = new URLSearchParams(query);
  const inQuery =
    parameters.has('secret_key') ||
    [query, ...parameters.values()].some((text) => holds(text, secretKey));
  const named = Object.entries(headers).filter(([, value]) =>
    [value, ...basicCredentials(value), ...decoded(value)].some((text) => holds(text, secretKey)),
  );
  return [
    ...(holds(path, secretKey) ? ['the path'] : []),
    ...(inQuery ? ['the query'] : []),
    ...named.map(([name]) => `the header ${name}`),
  ];
}

/** User and password of Basic authentication (RFC 7617); the password may contain colons. */
export function basicCredentials(header: string): readonly string[] {
  const basic = /^basic\s+(\S+)$/i.exec(header)?.[1];
  const credentials = decodeUtf8(decodeBase64Lenient(basic ?? '') ?? new Uint8Array()) ?? '';
  return credentials.split(':');
}

/** A header without percent encoding, and what its words are in Base64 or hexadecimal; shorter ones contain no secret. */
function decoded(header: string): readonly string[] {
  const words = header.match(/[\w+/-]{11,}={0,2}/g) ?? [];
  const bytes = words.flatMap((word) => [decodeBase64Lenient(word), decodeHex(word)]);
  const plain = header.replace(/%([\da-f]{2})/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return [plain, ...bytes.flatMap((each) => (each && decodeUtf8(each)) ?? [])];
}

/** A short secret is found only as the whole value: "test" is a part of many a header. */
function holds(text: string, secretKey: string): boolean {
  return secretKey.length < 8 ? text === secretKey && text !== '' : text.includes(secretKey);
}
