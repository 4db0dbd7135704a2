import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import { printfFormat, roundTo, shellWord } from '../text.ts';
import { type AddressOverride, formatAddressOverride } from './addresses.ts';
import {
  type Exchange,
  type Headers,
  headerOf,
  responseOf,
  type Timings,
  type WireRequest,
  type WireResponse,
} from './exchange.ts';

export interface CurlOptions {
  /** Accept any certificate. */
  readonly insecure?: boolean;
  readonly resolve?: readonly AddressOverride[];
  /** Texts to write as shell variables, such as secrets, and the names of the variables. */
  readonly references?: readonly { readonly text: string; readonly name: string }[];
}

/** Headers that curl writes itself, from the URL and the body. */
const written = ['host', 'connection', 'content-length'];

/**
 * A command line for a POSIX shell that sends the same request with curl, in one line. Values are
 * verbatim unless a variable contains them: hiding secrets is the caller's.
 */
export function toCurl(request: WireRequest, options: CurlOptions = {}): string {
  const { method, url, body } = request;
  // a short text occurs in others by chance
  const references = (options.references ?? []).filter(({ text }) => text.length >= 6);
  const variables = references.map(({ text, name }) => ({ text, word: `"$${name}"` }));
  const words = ['curl', '--request', method];
  if (options.insecure) words.push('--insecure');
  for (const override of options.resolve ?? []) {
    words.push('--resolve', shellWord(formatAddressOverride(override)));
  }
  // curl expands [1-3] and {a,b} in a path or query to several requests.
  if (/[[\]{}]/.test(url.pathname + url.search)) words.push('--globoff');
  for (const header of headersOf(request)) words.push('--header', wordOf(header, variables));
  if (body.length === 0) return [...words, shellWord(url.href)].join(' ');
  const text = decodeUtf8(body);
  const inBody = variables.flatMap(inJson);
  // no argument or terminal can carry what is not plain text
  if (text === undefined || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) {
    words.push('--data-binary', '@-', shellWord(url.href));
    return `${printfOf(text === undefined ? [body] : partsOf(text, inBody))} | ${words.join(' ')}`;
  }
  // A leading @ would name a file; --data-raw is the same without that meaning.
  words.push(text.startsWith('@') ? '--data-raw' : '--data-binary', wordOf(text, inBody));
  return [...words, shellWord(url.href)].join(' ');
}

function headersOf({ headers, url, body }: WireRequest): readonly string[] {
  const own = headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    return lower === 'host' ? value !== url.host : !written.includes(lower);
  });
  const lines = own.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`));
  const hasType = own.some(([name]) => name.toLowerCase() === 'content-type');
  // Without one, curl declares a body as a form.
  return hasType || body.length === 0 ? lines : [...lines, 'Content-Type:'];
}

/** A text, and what writes it in a shell. */
interface Variable {
  readonly text: string;
  readonly word: string;
}

/** A secret as JSON writes it; none if that takes more than backslashes in front of quotes and backslashes. */
function inJson({ text, word }: Variable): readonly Variable[] {
  const written = JSON.stringify(text).slice(1, -1);
  if (written === text) return [{ text, word }];
  if (written !== text.replace(/["\\]/g, '\\$&')) return [];
  return [{ text: written, word: `"$(printf %s ${word} | sed 's/[\\"\\\\]/\\\\&/g')"` }];
}

/** The text, cut where a variable replaces a part of it; the longest part first. */
function partsOf(text: string, variables: readonly Variable[]): readonly (string | Variable)[] {
  const found = variables
    .filter((variable) => text.includes(variable.text))
    .sort((left, right) => right.text.length - left.text.length)[0];
  if (found === undefined) return text === '' ? [] : [text];
  return text
    .split(found.text)
    .flatMap((part, index) => [...(index === 0 ? [] : [found]), ...partsOf(part, variables)]);
}

function wordOf(text: string, variables: readonly Variable[]): string {
  const word = (part: string | Variable) =>
    typeof part === 'string' ? shellWord(part) : part.word;
  return partsOf(text, variables).map(word).join('') || "''";
}

function printfOf(parts: readonly (string | Uint8Array | Variable)[]): string {
  const words: string[] = [];
  const formats = parts.map((part) => {
    if (typeof part === 'string') return printfFormat(Buffer.from(part));
    if (part instanceof Uint8Array) return printfFormat(part);
    words.push(part.word);
    return '%s';
  });
  return ['printf', `'${formats.join('')}'`, ...words].join(' ');
}

/**
 * Exchanges as an HTTP archive (HAR 1.2), verbatim: hiding secrets is the caller's. A body that is
 * not UTF-8 is in Base64, marked by `encoding` in a response and by `_encoding` in a request, for
 * which HAR has no field.
 */
export function toHar(exchanges: readonly Exchange[], { version }: { readonly version: string }) {
  const creator = { name: 'authcli', version };
  return { log: { version: '1.2', creator, entries: exchanges.map(toEntry) } };
}

/** A failed exchange has the status 0, as in browsers, and its cause in `comment`. */
function toEntry(exchange: Exchange) {
  const { failure } = exchange;
  return {
    startedDateTime: new Date(exchange.startedAt).toISOString(),
    time: roundTo(3, exchange.durationMs),
    request: toHarRequest(exchange.request),
    response: toHarResponse(responseOf(exchange), exchange.response !== undefined),
    cache: {},
    timings: toHarTimings(exchange.timings, exchange.durationMs),
    ...(failure && { comment: `${failure.code}: ${failure.message}` }),
  };
}

function toHarRequest({ method, url, headers, body }: WireRequest) {
  const mimeType = headerOf(headers, 'content-type') ?? '';
  const { text, encoding } = bodyContent(body);
  const content = encoding ? { text, _encoding: encoding } : { text };
  return {
    method,
    url: url.href,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    queryString: pairs([...url.searchParams]),
    ...(body.length > 0 && { postData: { mimeType, params: [], ...content } }),
    headersSize: -1,
    bodySize: body.length,
  };
}

function toHarResponse(response: WireResponse | undefined, complete: boolean) {
  const { headers = [], body = new Uint8Array() } = response ?? {};
  const mimeType = headerOf(headers, 'content-type') ?? '';
  return {
    status: response?.status ?? 0,
    statusText: response?.statusText ?? '',
    httpVersion: response?.httpVersion ?? '',
    cookies: [],
    headers: pairs(headers),
    content: { size: body.length, mimeType, ...bodyContent(marked(body, complete)) },
    redirectURL: headerOf(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: complete ? (response?.encodedBodyBytes ?? -1) : -1,
  };
}

function bodyContent(body: Uint8Array): { readonly text: string; readonly encoding?: 'base64' } {
  const text = decodeUtf8(body);
  return text === undefined ? { text: encodeBase64(body), encoding: 'base64' } : { text };
}

/** Marks a body that was cut off, so that the beginning of a secret at its end is found. */
function marked(body: Uint8Array, complete: boolean): Uint8Array {
  const isText = body.length > 0 && decodeUtf8(body) !== undefined;
  return complete || !isText ? body : Buffer.concat([body, Buffer.from('…')]);
}

/** HAR's `connect` includes `ssl`; what did not happen is -1, except for send, wait and receive. */
function toHarTimings(timings: Timings, durationMs: number): Readonly<Record<string, number>> {
  const { lookupMs = -1, connectMs, proxyMs = 0, tlsMs, firstByteMs = 0, bodyMs = 0 } = timings;
  const connect = connectMs === undefined ? -1 : connectMs + proxyMs + (tlsMs ?? 0);
  const known = Math.max(lookupMs, 0) + Math.max(connect, 0) + firstByteMs + bodyMs;
  return {
    blocked: roundTo(3, Math.max(durationMs - known, 0)),
    dns: roundTo(3, lookupMs),
    connect: roundTo(3, connect),
    ssl: roundTo(3, tlsMs ?? -1),
    send: 0,
    wait: roundTo(3, firstByteMs),
    receive: roundTo(3, bodyMs),
  };
}

function pairs(headers: Headers) {
  return headers.map(([name, value]) => ({ name, value }));
}

/**
 * The exchange as it went over the wire, or why there is no response; line breaks are LF, a body that is not UTF-8
 * is in Base64. Nothing is hidden or escaped: the caller does that.
 */
export function toWireText(exchange: Exchange): string {
  const { request, failure } = exchange;
  const came = responseOf(exchange);
  const { method, url, headers, body } = request;
  const parts = [messageText(`${method} ${url.pathname}${url.search} HTTP/1.1`, headers, body)];
  if (came) parts.push(responseText({ ...came, body: marked(came.body, !!exchange.response) }));
  if (failure) parts.push(`(${failure.code}: ${failure.message})`);
  return parts.join('\n\n');
}

/** A response alone, as `toWireText` shows it. */
export function responseText(response: WireResponse): string {
  const { httpVersion, status, statusText, headers, body } = response;
  return messageText(`${httpVersion} ${status} ${statusText}`.trimEnd(), headers, body);
}

function messageText(first: string, headers: Headers, body: Uint8Array): string {
  const head = [first, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  if (body.length === 0) return head;
  const text = decodeUtf8(body) ?? `(${body.length} bytes, in Base64) ${encodeBase64(body)}`;
  return `${head}\n\n${text}`;
}
