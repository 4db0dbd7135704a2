import { encodeBase64, encodeBase64Url, encodeHex } from '../bytes.ts';
import type { PayloadEncoding } from './cipher.ts';

/** The bytes that a payload's text stands for, or why it stands for none. */
export type PayloadDecoding =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly detail: string };

interface EncodingRow {
  readonly title: string;
  /** By code unit, which ones are digits. */
  readonly isDigit: readonly boolean[];
  readonly write: (bytes: Uint8Array) => string;
  /** Whether so many digits are a whole number of bytes. */
  readonly isWhole: (digits: number) => boolean;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const encodings: Readonly<Record<PayloadEncoding, EncodingRow>> = {
  base64: row('Base64', `${letters}0123456789+/`, encodeBase64, (digits) => digits % 4 !== 1),
  base64url: row(
    'Base64url',
    `${letters}0123456789-_`,
    encodeBase64Url,
    (digits) => digits % 4 !== 1,
  ),
  hex: row('hexadecimal', '0123456789ABCDEFabcdef', encodeHex, (digits) => digits % 2 === 0),
};

/** The bytes as text: Base64 with padding, Base64url without, hexadecimal in small letters. */
export function encodePayload(bytes: Uint8Array, encoding: PayloadEncoding): string {
  return encodings[encoding].write(bytes);
}

/**
 * Reads a payload's text in one encoding: white space anywhere is ignored, Base64 may have its `=`
 * or not, hexadecimal may be in either case. Unused bits at the end of Base64 are not looked at, as
 * in the decoders that applications use.
 */
export function decodePayload(text: string, encoding: PayloadEncoding): PayloadDecoding {
  const { title, isDigit, isWhole } = encodings[encoding];
  const end = encoding === 'hex' ? text.length : endOfDigits(text);
  let count = 0;
  for (let index = 0; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (isDigit[unit]) count++;
    else if (!isSpace(unit)) return { ok: false, detail: describeStranger(text, index, title) };
  }
  if (!isWhole(count)) return { ok: false, detail: `${count} digits are no whole ${title}` };
  const digits = count === end ? text.slice(0, end) : withoutSpace(text, end, count);
  return { ok: true, bytes: Buffer.from(digits, encoding) };
}

/** A loop, since a regular expression that drops a million line breaks takes 50 bytes for each. */
function withoutSpace(text: string, end: number, count: number): string {
  const digits = Buffer.alloc(count);
  for (let index = 0, at = 0; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (!isSpace(unit)) digits[at++] = unit;
  }
  return digits.toString('latin1');
}

/** Where the digits of Base64 end: before at most two `=` and the white space around them. */
function endOfDigits(text: string): number {
  let end = text.length;
  for (let equals = 0; end > 0; end--) {
    const unit = text.charCodeAt(end - 1);
    if (unit === 0x3d && equals < 2) equals++;
    else if (!isSpace(unit)) break;
  }
  return end;
}

/** White space as JavaScript's `trim` has it, the byte order mark included. */
function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  return /\s/.test(String.fromCharCode(unit));
}

function describeStranger(text: string, index: number, title: string): string {
  const code = text.codePointAt(index) ?? 0;
  const printable = code > 0x20 && code < 0x7f;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return `${printable ? `"${String.fromCodePoint(code)}"` : number} is no digit of ${title}`;
}

function row(
  title: string,
  digits: string,
  write: EncodingRow['write'],
  isWhole: EncodingRow['isWhole'],
): EncodingRow {
  const isDigit = Array.from({ length: 0x80 }, (_, unit) =>
    digits.includes(String.fromCharCode(unit)),
  );
  return { title, isDigit, write, isWhole };
}
