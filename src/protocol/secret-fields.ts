import { decodeBase64Lenient, decodeHex, decodeUtf8 } from '../bytes.ts';
import { isJsonObject } from './json.ts';

/** Fields of the interface whose values are secret whatever they are (section 2.1). */
export const secretFieldNames: ReadonlySet<string> = new Set([
  'secret_key',
  'acs_token',
  'ptn_token',
]);

/**
 * The secrets of a JSON value by the names of their fields, at any depth: a peer may send a token as
 * a number, or in an array or object.
 */
export function secretTextsIn(value: unknown, names = secretFieldNames): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => secretTextsIn(item, names));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    names.has(name) ? textsIn(item) : secretTextsIn(item, names),
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

interface RequestHead {
  /** Without the query. */
  readonly path: string;
  /** What follows `?`, as it came. */
  readonly query?: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Where the secret key is outside the body (section 5.1: it is sent in the body, no header is
 * involved), as words for a message: "the path", "the query", "the header authorization". A
 * `secret_key` in the query counts whatever its value; elsewhere the secret itself does, plain,
 * URL-encoded, in hexadecimal or in Base64, as in Basic authentication (RFC 7617).
 */
export function secretPlaces(
  { path, query = '', headers }: RequestHead,
  secretKey: string,
): readonly string[] {
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
