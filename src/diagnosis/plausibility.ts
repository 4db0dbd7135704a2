import { decodeUtf8 } from '../bytes.ts';
import { isUuid } from '../text.ts';
import { asciiTextBits, isPrintable, scriptTextBits } from './text-models.ts';

/** How much some bytes look like what a payload carries. */
export interface Plausibility {
  /**
   * Evidence in bits: log2 of how much likelier the bytes are as text of the best fitting shape than
   * as random bytes, which reach B bits with probability 2^-B at most (Markov's inequality).
   */
  readonly bits: number;
  /** Text in UTF-8 without control characters, where a wrong key would give noise. */
  readonly isClean: boolean;
  readonly shape: Shape | 'binary' | 'empty';
}

/** Longer plaintexts are weighed by their beginning; whether they are clean is checked in whole. */
const weighedBytes = 16_384;

/** What each further byte counts: about what a byte of text does. */
const restBits = 2;

const binary = { bits: 0, isClean: false, shape: 'binary' } as const;

/** Weighs a decrypted plaintext; `kind` favours the shapes of what the payload should be. */
export function assessPlaintext(plaintext: Uint8Array, kind?: ShapeKind): Plausibility {
  if (plaintext.length === 0) return { bits: 0, isClean: false, shape: 'empty' };
  if (!isTextLike(plaintext)) return binary;
  const head = wholeCharacters(plaintext.subarray(0, weighedBytes));
  const text = decodeUtf8(head) ?? '';
  if (!isPrintable(text)) return binary;
  const isClean = isCleanEnd(plaintext);
  const plainBits = 2 + Math.min(asciiTextBits(text), scriptTextBits(text));
  const isWhole = head.length === plaintext.length;
  let best: Plausibility = { bits: Number.NEGATIVE_INFINITY, isClean, shape: 'text' };
  for (const { shape, bits } of shapesOf(text, plainBits, { isWhole, kind })) {
    const evidence = 8 * head.length - bits + restBits * (plaintext.length - head.length);
    if (evidence > best.bits) best = { bits: evidence, isClean, shape };
  }
  return best;
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
  if (bytes.some(isControl)) return false;
  return decodeUtf8(mayBeCut ? wholeCharacters(bytes) : bytes) !== undefined;
}

function isControl(byte: number): boolean {
  return (byte < 0x20 && byte !== 0x0a && byte !== 0x09 && byte !== 0x0d) || byte === 0x7f;
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

type Shape =
  | 'digits'
  | 'uuid'
  | 'hexadecimal'
  | 'alphanumeric'
  | 'base64'
  | 'ascii'
  | 'text'
  | 'email'
  | 'phone'
  | 'list'
  | 'form'
  | 'json'
  | 'xml';

/** What a payload should be: `partner_sp`, `ptn_sp`, or `ubifill`. */
export type ShapeKind = 'passcode' | 'user-info';

interface ShapeBits {
  readonly shape: Shape;
  readonly bits: number;
}

/** Strings of characters that are all equally likely: what a passcode generator makes. */
interface RandomShape {
  readonly shape: Shape;
  readonly pattern: RegExp;
  readonly symbols: number;
  /** -log2 of the share of plaintexts that look so, before the text is seen. */
  readonly prior: number;
}

const randomShapes: readonly RandomShape[] = [
  { shape: 'digits', pattern: /^[0-9]+$/, symbols: 10, prior: 2.5 },
  { shape: 'hexadecimal', pattern: /^[0-9a-f]+$/, symbols: 16, prior: 4 },
  { shape: 'hexadecimal', pattern: /^[0-9A-F]+$/, symbols: 16, prior: 5 },
  { shape: 'alphanumeric', pattern: /^[0-9a-z]+$/, symbols: 36, prior: 4.5 },
  { shape: 'alphanumeric', pattern: /^[0-9A-Z]+$/, symbols: 36, prior: 4.5 },
  { shape: 'alphanumeric', pattern: /^[0-9A-Za-z]+$/, symbols: 62, prior: 3 },
  { shape: 'base64', pattern: /^[0-9A-Za-z+/]+={0,2}$/, symbols: 65, prior: 4 },
  { shape: 'base64', pattern: /^[0-9A-Za-z_-]+={0,2}$/, symbols: 65, prior: 5 },
  { shape: 'ascii', pattern: /^[ -~]+$/, symbols: 95, prior: 3 },
];

interface FormedShape {
  readonly shape: Shape;
  readonly fits: (text: string) => boolean;
  /** How much rarer the form is among texts, in bits; generous by half. */
  readonly gain: number;
}

/** The lengths are those of RFC 5321 4.5.3.1, and keep the search linear. */
const email = /[\w.%+-]{1,64}(?:@|%40)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/;

const formedShapes: readonly FormedShape[] = [
  { shape: 'json', fits: isJson, gain: 14 },
  {
    shape: 'xml',
    fits: (text) => /^\s*<[A-Za-z?][^<>]*>.*<\/[A-Za-z][^<>]*>\s*$/s.test(text),
    gain: 14,
  },
  {
    shape: 'form',
    fits: (text) => /^[\w.[\]%+-]+=[^&=\s]*(?:&[\w.[\]%+-]+=[^&=\s]*)+$/.test(text),
    gain: 12,
  },
  { shape: 'list', fits: isList, gain: 10 },
  { shape: 'email', fits: (text) => new RegExp(`^${email.source}$`).test(text), gain: 8 },
  { shape: 'phone', fits: (text) => /^\+?[0-9][0-9 ()-]{6,18}[0-9]$/.test(text), gain: 8 },
];

const passcodeShapes = new Set<Shape>([...randomShapes.map(({ shape }) => shape), 'uuid']);

const unexpectedBits = 2;

function shapesOf(
  text: string,
  plainBits: number,
  { isWhole, kind }: { readonly isWhole: boolean; readonly kind?: ShapeKind | undefined },
): ShapeBits[] {
  const found: ShapeBits[] = [{ shape: 'text', bits: plainBits }];
  for (const { shape, pattern, symbols, prior } of randomShapes) {
    if (pattern.test(text)) found.push({ shape, bits: prior + text.length * Math.log2(symbols) });
  }
  if (isUuid(text)) found.push({ shape: 'uuid', bits: 5 + 32 * 4 });
  if (isWhole) {
    const formed = formedShapes.filter(({ fits }) => fits(text));
    found.push(...formed.map(({ shape, gain }) => ({ shape, bits: plainBits - gain })));
  }
  return found.map(({ shape, bits }) => ({ shape, bits: bits + surprise(shape, kind) }));
}

function surprise(shape: Shape, kind: ShapeKind | undefined): number {
  if (kind === undefined || shape === 'text') return 0;
  return passcodeShapes.has(shape) === (kind === 'passcode') ? 0 : unexpectedBits;
}

/** A JSON object or array; chance makes a number or a string alone. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Fields between separators, one of them an address: `name|kim@example.com|010…`. */
function isList(text: string): boolean {
  return /[|,;\t\n^~]/.test(text) && email.test(text);
}
