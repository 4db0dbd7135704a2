import { decodeUtf8 } from '../bytes.ts';
import { type Cipher, ivBytesOf } from '../crypto/cipher.ts';
import { parseJson } from '../crypto/text-layers.ts';
import { parseJsonText } from '../protocol/json.ts';
import { isUuid } from '../text.ts';

/** How much some bytes look like what a payload carries. */
export interface Plausibility {
  /**
   * Evidence in bits: log2 of how much likelier the bytes are as text of the best fitting shape than
   * as random bytes, which reach B bits with probability 2^-B at most (Markov's inequality).
   */
  readonly bits: number;
  /** Text in UTF-8 without control characters, where a wrong key would give noise. */
  readonly isClean: boolean;
}

/** Longer plaintexts are weighed by their beginning; whether they are clean is checked in whole. */
const weighedBytes = 16_384;

/** What each further byte counts: about what a byte of text does. */
const restBits = 2;

export const noise: Plausibility = { bits: 0, isClean: false };

/** Weighs a decrypted plaintext; `kind` favours the shapes of what the payload should be. */
export function assessPlaintext(plaintext: Uint8Array, kind?: ShapeKind): Plausibility {
  if (plaintext.length === 0 || !isTextLike(plaintext)) return noise;
  const head = wholeCharacters(plaintext.subarray(0, weighedBytes));
  const text = decodeUtf8(head) ?? '';
  if (!isPrintable(text)) return noise;
  const rest = plaintext.length - head.length;
  const cost = Math.min(...shapeCosts(text, rest === 0, kind));
  return { bits: 8 * head.length - cost + restBits * rest, isClean: isCleanEnd(plaintext) };
}

/** Whether a payload may carry a plaintext: noise of n bytes is clean text once in 3^n. */
export function isPlausiblePlaintext(plaintext: Uint8Array, kind?: ShapeKind): boolean {
  return plaintext.length === 0 || assessPlaintext(plaintext, kind).isClean;
}

/**
 * Whether bytes are UTF-8 without control characters other than tab and line ends.
 *
 * @param mayBeCut whether the last character may be cut, as in the head of a long text
 */
export function isTextLike(bytes: Uint8Array, mayBeCut = false): boolean {
  const isLayout = (byte: number) => byte === 0x0a || byte === 0x09 || byte === 0x0d;
  if (bytes.some((byte) => byte === 0x7f || (byte < 0x20 && !isLayout(byte)))) return false;
  return decodeUtf8(mayBeCut ? wholeCharacters(bytes) : bytes) !== undefined;
}

/** More than one line end is PKCS #7 padding left on: tab is 9, line feed 10, carriage return 13. */
function isCleanEnd(bytes: Uint8Array): boolean {
  const end = Buffer.from(bytes.subarray(-3)).toString('latin1');
  return !/[\t\n\r]$/.test(end.replace(/\r?\n$/, ''));
}

function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let lead = bytes.length - 1;
  while (lead >= 0 && lead > bytes.length - 4 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead--;
  const first = bytes[lead] ?? 0;
  const size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return lead + size > bytes.length ? bytes.subarray(0, Math.max(lead, 0)) : bytes;
}

/** What a payload should be: `partner_sp`, `ptn_sp`, or `ubifill`. */
export type ShapeKind = 'passcode' | 'user-info';

/**
 * Strings of characters that are all equally likely, which a passcode generator makes: how many
 * characters there are, and -log2 of the share of plaintexts that look so, before the text is seen.
 */
const randomShapes: readonly (readonly [RegExp, symbols: number, prior: number])[] = [
  [/^[0-9]+$/, 10, 2.5],
  [/^[0-9a-f]+$/, 16, 4],
  [/^[0-9A-F]+$/, 16, 5],
  [/^[0-9a-z]+$/, 36, 4.5],
  [/^[0-9A-Z]+$/, 36, 4.5],
  [/^[0-9A-Za-z]+$/, 62, 3],
  [/^[0-9A-Za-z+/]+={0,2}$/, 65, 4],
  [/^[0-9A-Za-z_-]+={0,2}$/, 65, 5],
  [/^[ -~]+$/, 95, 3],
];

/** The lengths are those of RFC 5321 4.5.3.1, and keep the search linear. */
const email = /[\w.%+-]{1,64}(?:@|%40)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/;

const emailAlone = new RegExp(`^${email.source}$`);
const xml = /^\s*<[A-Za-z?][^<>]*>.*<\/[A-Za-z][^<>]*>\s*$/s;
const form = /^[\w.[\]%+-]+=[^&=\s]*(?:&[\w.[\]%+-]+=[^&=\s]*)+$/;
const phone = /^\+?[0-9][0-9 ()-]{6,18}[0-9]$/;

/** How much rarer a form is among texts, in bits; generous by half. */
const formedShapes: readonly (readonly [fits: (text: string) => boolean, gain: number])[] = [
  [isJson, 14],
  [(text) => xml.test(text), 14],
  [(text) => form.test(text), 12],
  // Fields between separators, one of them an address: `name|kim@example.com|010…`.
  [(text) => /[|,;\t\n^~]/.test(text) && email.test(text), 10],
  [(text) => emailAlone.test(text), 8],
  [(text) => phone.test(text), 8],
];

/** What a text costs as each shape that it has, in bits; those that are not expected cost more. */
function shapeCosts(text: string, isWhole: boolean, kind: ShapeKind | undefined): number[] {
  const plain = 2 + Math.min(asciiTextBits(text), scriptTextBits(text));
  const random = randomShapes
    .filter(([pattern]) => pattern.test(text))
    .map(([, symbols, prior]) => prior + text.length * Math.log2(symbols));
  const uuid = isUuid(text) ? [5 + 32 * 4] : [];
  const formed = isWhole ? formedShapes.filter(([fits]) => fits(text)) : [];
  return [
    plain,
    ...[...random, ...uuid].map((bits) => bits + (kind === 'user-info' ? unexpectedBits : 0)),
    ...formed.map(([, gain]) => plain - gain + (kind === 'passcode' ? unexpectedBits : 0)),
  ];
}

const unexpectedBits = 2;

/** A JSON object or array; chance makes a number or a string alone. */
export function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return false;
  return parseJson(text) !== undefined;
}

/*
 * Distributions over text, as the bits that each character costs (-log2 of its probability). The
 * probabilities add up to less than one, so that evidence against noise is never overstated.
 */

/** What characters of ASCII cost, from rare to frequent: the later line counts. */
const asciiCosts: readonly (readonly [bits: number, from: string, to: string])[] = [
  [9.5, '!', '~'],
  ...[...'.:,@_/{}<>=&%+|;-'].map((sign) => [7, sign, sign] as const),
  [5.5, ' ', ' '],
  [5.5, '"', '"'],
  [7.8, 'A', 'Z'],
  [6, '0', '9'],
  [5.8, 'a', 'z'],
  [9, '\t', '\n'],
  [9, '\r', '\r'],
];

/** Text mostly in ASCII: JSON, addresses, markup. */
const asciiBits: readonly number[] = asciiCosts.reduce(
  (costs, [bits, from, to]) => costs.fill(bits, from.charCodeAt(0), to.charCodeAt(0) + 1),
  new Array<number>(0x80).fill(Number.POSITIVE_INFINITY),
);

/** log2 of the 98 printable characters of ASCII, and of their share of 0.35. */
const otherAsciiBits = 8.2;

/** Hangul syllables, and Chinese characters with Japanese kana, by the number of their code points. */
const hangulBits = Math.log2(11_172);
const hanBits = Math.log2(21_500);

/** The cost of a text whose characters are mostly ASCII; infinite for control characters. */
export function asciiTextBits(text: string): number {
  return sum(text, (code) => asciiBits[code] ?? outsideAsciiBits(code));
}

/** The rest beside ASCII (0.05): Latin letters with marks, other alphabets, Hangul, Han and kana, others. */
function outsideAsciiBits(code: number): number {
  if (code < 0x250) return 6.1 + Math.log2(0x1d0);
  if (code < 0x800) return 6.7 + Math.log2(0x5b0);
  if (isHangul(code)) return 6.1 + hangulBits;
  if (isHan(code)) return 7 + hanBits;
  return 9 + Math.log2(150_000);
}

/**
 * The cost of a text with one script beside ASCII, the choice of script and mixture included: of markup or fields with
 * a name in it (0.8 ASCII as above, 0.19 in the script), or of a name (0.35 ASCII, all alike, 0.62 in the script).
 */
export function scriptTextBits(text: string): number {
  const script = [...text].map(scriptOf).find((found) => found !== 'ascii');
  if (script === undefined) return Number.POSITIVE_INFINITY;
  const mixture = (ofAscii: (code: number) => number, scriptShareBits: number) =>
    sum(text, (code, character) => {
      const found = scriptOf(character);
      if (found === 'ascii') return ofAscii(code);
      return found === script ? scriptShareBits + sizeBits(script) : 7 + Math.log2(150_000);
    });
  const ofFields = mixture((code) => (asciiBits[code] ?? 0) + 0.33, 2.4);
  return (
    7 +
    Math.min(
      ofFields,
      mixture(() => otherAsciiBits, 0.7),
    )
  );
}

function sizeBits(script: string): number {
  if (script === 'hangul') return hangulBits;
  if (script === 'han') return hanBits;
  return script === 'other' ? Math.log2(150_000) : 8;
}

/** Alphabets below U+2000 by their page of 256 code points, which contains one or two of them. */
function scriptOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 'ascii';
  if (code < 0x2000) return `page ${code >> 8}`;
  if (isHangul(code)) return 'hangul';
  return isHan(code) ? 'han' : 'other';
}

function isHangul(code: number): boolean {
  return code >= 0xac00 && code <= 0xd7a3;
}

function isHan(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3040 && code <= 0x30ff);
}

/** Whether a text contains assigned characters only and no control character but tab and line ends. */
function isPrintable(text: string): boolean {
  if (/^[ -~\t\n\r]*$/.test(text)) return true;
  return !/[\p{Cn}\p{Co}\p{Cs}]|(?![\t\n\r])\p{Cc}/u.test(text);
}

function sum(text: string, bitsOf: (code: number, character: string) => number): number {
  let bits = 0;
  for (const character of text) bits += bitsOf(character.codePointAt(0) ?? 0, character);
  return bits;
}

/** What a text is the end of. */
export type TornShape = 'JSON' | 'form data' | 'a UUID';

/**
 * Whether a text that a cipher gave begins in the middle: its first block was taken for an IV that the payload doesn't
 * carry. Only what hardly any passcode looks like counts.
 */
export function tornShape(plaintext: Uint8Array, cipher: Cipher): TornShape | undefined {
  const text = decodeUtf8(plaintext.subarray(0, mostBytes))?.trimEnd() ?? '';
  if (isEndOfJson(text)) return 'JSON';
  if (isEndOfForm(text)) return 'form data';
  return endOfUuid[ivBytesOf(cipher)]?.test(text) ? 'a UUID' : undefined;
}

const mostBytes = 65_536;

/** What may be missing: up to within a name, a value in quotation marks, or another value. */
const beginnings = ['{"', '{"a":"', '{"a":', '{"a":1', '{', '[{"', '[{"a":"', '[{"a":', '[{"a":1'];

/** With a whole name in it, or an e-mail address at its end: of many passcodes, one ends like a value. */
function isEndOfJson(text: string): boolean {
  if (/^\s*[{[]/.test(text) || !/[}\]]$/.test(text)) return false;
  if (!/"\s*:|@[\w-]+\.[\w.-]+"/.test(text)) return false;
  return beginnings.some((beginning) => parseJsonText(beginning + text) !== undefined);
}

/** The end of one field, then whole ones, of which one is named like a user attribute. */
function isEndOfForm(text: string): boolean {
  const [first = '', ...fields] = text.split('&');
  const areFields = fields.every((field) => /^[A-Za-z_][\w.%[\]-]*=[^=\s]*$/.test(field));
  const isNamed = fields.some((field) => /^[^=]*(?:mail|name|phone|mobile|tel)/i.test(field));
  return !first.includes('=') && areFields && isNamed;
}

/** By the bytes that are missing. */
const endOfUuid: Readonly<Record<number, RegExp>> = {
  8: /^-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  16: /^[0-9a-f]{2}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
};
