import { decodeUtf8 } from '../bytes.ts';
import { shellWord } from '../text.ts';
import { type AddressOverride, formatAddressOverride } from './addresses.ts';
import type { WireRequest } from './exchange.ts';

/** What curl has to be told beside the request. */
export interface CurlOptions {
  /** Accept any certificate. */
  readonly insecure?: boolean;
  /** Addresses that stand in for names. */
  readonly resolve?: readonly AddressOverride[];
  /** The path of the Unix socket that is connected to. */
  readonly unixSocket?: string;
  /** What stands in the line by the name of a shell variable that holds it, such as secrets. */
  readonly references?: readonly CurlReference[];
}

/** A text and the shell variable that holds it. */
export interface CurlReference {
  readonly text: string;
  readonly name: string;
}

/** Headers that curl writes itself, from the URL and the body. */
const written = new Set(['host', 'connection', 'content-length']);

/**
 * A command line for a POSIX shell that sends the same request with curl, in one line. Values
 * stand verbatim in it unless a variable stands for them: hiding secrets is the caller's.
 */
export function toCurl(request: WireRequest, options: CurlOptions = {}): string {
  const { method, url, body } = request;
  const references = (options.references ?? []).filter(isTelling);
  const word = (text: string): string => withReferences(text, references);
  const inJson = references.filter(isSafeInJson);
  const words = ['curl', '--request', method];
  if (options.insecure) words.push('--insecure');
  if (options.unixSocket !== undefined) words.push('--unix-socket', shellWord(options.unixSocket));
  for (const override of options.resolve ?? []) {
    words.push('--resolve', shellWord(formatAddressOverride(override)));
  }
  // curl takes [1-3] and {a,b} in a path or query for several requests.
  if (/[[\]{}]/.test(url.pathname + url.search)) words.push('--globoff');
  for (const header of headersOf(request)) words.push('--header', word(header));
  const before =
    body.length === 0 ? undefined : addBody(words, body, (text) => withReferences(text, inJson));
  words.push(shellWord(url.href));
  return [...(before === undefined ? [] : [before, '|']), ...words].join(' ');
}

function headersOf({ headers, url, body }: WireRequest): readonly string[] {
  const own = headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    return lower === 'host' ? value !== url.host : !written.has(lower);
  });
  const lines = own.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`));
  const hasType = own.some(([name]) => name.toLowerCase() === 'content-type');
  // Without one, curl says that a body is a form.
  return hasType || body.length === 0 ? lines : [...lines, 'Content-Type:'];
}

/** Adds the body; what can't stand in an argument or on a terminal comes through a pipe. */
function addBody(
  words: string[],
  body: Uint8Array,
  word: (text: string) => string,
): string | undefined {
  const text = decodeUtf8(body);
  if (text === undefined || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) {
    words.push('--data-binary', '@-');
    return `printf ${shellWord(octal(body))}`;
  }
  // A leading @ would name a file; --data-raw is the same without that meaning.
  words.push(text.startsWith('@') ? '--data-raw' : '--data-binary', word(text));
  return undefined;
}

/** A format for printf(1): printable ASCII as it is, every other byte in octal, and a hyphen at the start. */
function octal(body: Uint8Array): string {
  return Array.from(body, (byte, index) => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    const isPlain = byte >= 0x20 && byte < 0x7f && character !== '\\';
    if (isPlain && !(index === 0 && character === '-')) return character;
    return `\\${byte.toString(8).padStart(3, '0')}`;
  }).join('');
}

/** A short text stands in others by chance. */
function isTelling({ text }: CurlReference): boolean {
  return text.length >= 6;
}

/** Escaped in JSON a text is another than the variable holds. */
function isSafeInJson({ text }: CurlReference): boolean {
  return JSON.stringify(text) === `"${text}"`;
}

/** One word of the shell, with `"$NAME"` in the place of what the variable holds; the longest text first. */
function withReferences(text: string, references: readonly CurlReference[]): string {
  const found = references
    .filter((reference) => text.includes(reference.text))
    .sort((left, right) => right.text.length - left.text.length)[0];
  if (found === undefined) return shellWord(text);
  return text
    .split(found.text)
    .map((part) => (part === '' ? '' : withReferences(part, references)))
    .join(`"$${found.name}"`);
}
