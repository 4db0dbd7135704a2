import { decodeUtf8 } from '../bytes.ts';
import { asciiTextBits, isPrintable, scriptTextBits } from './text-models.ts';
import { type Shape, type ShapeKind, shapesOf } from './text-shapes.ts';

export type { Shape } from './text-shapes.ts';

/** How much some bytes look like what a payload carries. */
export interface Plausibility {
  /**
   * Evidence in bits: log2 of how much likelier the bytes are as text of the best fitting shape than
   * as random bytes. Each shape is a probability distribution and pays for being one of several, so
   * random bytes reach B bits with probability 2^-B at most (Markov's inequality).
   */
  readonly bits: number;
  /** Text in UTF-8 without control characters, where a wrong key would give noise. */
  readonly isClean: boolean;
  readonly shape: Shape | 'binary' | 'empty';
}

/** Only so much is weighed; whether the text is clean is looked at in whole. */
const weighedBytes = 16_384;

/** What each further byte counts: about what a byte of text does. */
const restBits = 2;

/**
 * Weighs a decrypted plaintext.
 *
 * @param kind what the payload is meant to be, where that is known; it favours, it never excludes
 */
export function assessPlaintext(plaintext: Uint8Array, kind?: ShapeKind): Plausibility {
  if (plaintext.length === 0) return { bits: 0, isClean: false, shape: 'empty' };
  if (!isTextLike(plaintext)) return { bits: 0, isClean: false, shape: 'binary' };
  const head = wholeCharacters(plaintext.subarray(0, weighedBytes));
  const text = decodeUtf8(head) ?? '';
  if (!isPrintable(text)) return { bits: 0, isClean: false, shape: 'binary' };
  const isClean = isCleanEnd(plaintext);
  const texts = { ascii: asciiTextBits(text), script: scriptTextBits(text) };
  const isWhole = head.length === plaintext.length;
  let best: Plausibility = { bits: Number.NEGATIVE_INFINITY, isClean, shape: 'text' };
  for (const { shape, bits } of shapesOf(text, texts, { isWhole, kind })) {
    const evidence = 8 * head.length - bits + restBits * (plaintext.length - head.length);
    if (evidence > best.bits) best = { bits: evidence, isClean, shape };
  }
  return best;
}

/**
 * Whether a decrypted plaintext is something that a payload may carry. A cipher without padding or
 * tag decrypts anything; what comes out under a wrong key is noise, and text once in 3^n for n bytes.
 */
export function isPlausiblePlaintext(plaintext: Uint8Array, kind?: ShapeKind): boolean {
  return plaintext.length === 0 || assessPlaintext(plaintext, kind).isClean;
}

/**
 * Whether bytes are UTF-8 without control characters other than tab and line ends: the quick test
 * that noise of eight bytes or more hardly ever passes.
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

/**
 * A text may end in one line end. More white space of the kinds that double as PKCS #7 counts (tab
 * 9, line feed 10, carriage return 13) is padding left on.
 */
function isCleanEnd(bytes: Uint8Array): boolean {
  const end = Buffer.from(bytes.subarray(-3)).toString('latin1');
  return !/[\t\n\r]$/.test(end.replace(/\r?\n$/, ''));
}

/** Without the bytes of a UTF-8 character that is cut at the end. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let lead = bytes.length - 1;
  while (lead >= 0 && lead > bytes.length - 4 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead--;
  const first = bytes[lead] ?? 0;
  const size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return lead + size > bytes.length ? bytes.subarray(0, Math.max(lead, 0)) : bytes;
}
