import { isUtf8 } from 'node:buffer';
import { hash, timingSafeEqual } from 'node:crypto';

/** Draws `size` random bytes. Passed in wherever randomness is needed, so that code stays pure. */
export type RandomBytes = (size: number) => Uint8Array;

/** The bytes as lower-case hexadecimal digits. */
export function encodeHex(bytes: Uint8Array): string {
  return view(bytes).toString('hex');
}

/** The bytes of an even number of hexadecimal digits (either case); undefined for any other text. */
export function decodeHex(text: string): Uint8Array | undefined {
  return /^(?:[0-9a-fA-F]{2})*$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** The bytes as Base64 with padding, without line breaks (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return view(bytes).toString('base64');
}

/** The bytes as Base64url without padding (RFC 4648 section 5). */
export function encodeBase64Url(bytes: Uint8Array): string {
  return view(bytes).toString('base64url');
}

/**
 * Reads Base64 as RFC 4648 section 4 has it: the standard alphabet, the padding in full, unused
 * bits zero, no white space; undefined for any other text.
 */
export function decodeBase64Strict(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(text, 'base64'); // of anything; what it can't read doesn't come back
  return bytes.toString('base64') === text ? bytes : undefined;
}

/**
 * Reads Base64 the way lenient decoders do: either alphabet, padding or none, white space
 * anywhere; undefined where a character fits neither alphabet or the length can't be Base64.
 */
export function decodeBase64Lenient(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/_\s-]*(?:=\s*){0,2}$/.test(text)) return undefined;
  return countBase64Digits(text) % 4 === 1 ? undefined : Buffer.from(text, 'base64');
}

function countBase64Digits(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x2a && unit <= 0x7a && unit !== 0x3d) count += 1;
  }
  return count;
}

/** The text's UTF-8 bytes; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** The text that the bytes are in UTF-8, with a byte order mark if there is one; undefined for other bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? view(bytes).toString('utf8') : undefined;
}

/** The text of UTF-16 in that byte order, whatever it is; an odd byte at the end is left out. */
export function decodeUtf16(bytes: Uint8Array, order: 'little' | 'big'): string {
  const copy = Buffer.from(bytes.subarray(0, bytes.length & ~1));
  return (order === 'big' ? copy.swap16() : copy).toString('utf16le');
}

const utf16Marks: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** The encoding of UTF-16 for a TextDecoder, by the byte order mark; undefined without one. */
export function utf16Of(bytes: Uint8Array): string | undefined {
  return utf16Marks[encodeHex(bytes.subarray(0, 2))];
}

/**
 * The text of a file: UTF-8, or UTF-16 that begins with a byte order mark, as Windows PowerShell writes what is
 * redirected. Without the mark; undefined for other bytes.
 */
export function decodeFile(bytes: Uint8Array): string | undefined {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text.replace(/^\ufeff/, '');
  const encoding = utf16Of(bytes);
  if (encoding === undefined) return undefined;
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined; // bytes that happen to begin like a mark
  }
}

/** Each byte of `left` xor that of `right` at its place, or 0. */
export function xor(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, index) => byte ^ (right[index] ?? 0));
}

/** Whether two byte strings are equal, in time that depends on their lengths alone. */
export function constantTimeEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The same of texts: digests are compared, so that the time doesn't reveal even their lengths. */
export function sameText(left: string, right: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return constantTimeEqual(digest(left), digest(right));
}

/**
 * Collects bytes as they come, and drops those beyond `limit`. They are in one buffer, which doubles: a peer may send
 * chunks of one byte, each of which would take a hundred as an object of its own.
 */
export class CollectedBytes {
  readonly #limit: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Uint8Array): void {
    const taken = chunk.subarray(0, this.#limit - this.#length);
    const needed = this.#length + taken.length;
    if (needed > this.#buffer.length) {
      const grown = Buffer.alloc(Math.max(needed, Math.min(2 * this.#buffer.length, this.#limit)));
      grown.set(this.bytes);
      this.#buffer = grown;
    }
    this.#buffer.set(taken, this.#length);
    this.#length = needed;
  }

  /** What has come so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
