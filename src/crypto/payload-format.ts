import {
  constantTimeEqual,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  type RandomBytes,
} from '../bytes.ts';
import { counted } from '../text.ts';
import {
  type Algorithm,
  type Cipher,
  isBlockMode,
  isSalted,
  ivBytesOf,
  type Padding,
  type PayloadEncoding,
} from './cipher.ts';
import { saltBytes, saltMagic } from './key-derivation.ts';

/*
 * A payload's form around its ciphertext: how its text encodes bytes, where IV, salt and tag are
 * among them, and how the last block is filled.
 */

/** The bytes that a payload's text encodes, or why it can't be decoded. */
type PayloadDecoding =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly detail: string };

const encodings = {
  base64: { title: 'Base64', stranger: /[^A-Za-z0-9+/]/, write: encodeBase64 },
  base64url: { title: 'Base64url', stranger: /[^A-Za-z0-9_-]/, write: encodeBase64Url },
  hex: { title: 'hexadecimal', stranger: /[^A-Fa-f0-9]/, write: encodeHex },
} as const;

/** The bytes as text: Base64 with padding, Base64url without, hexadecimal in small letters. */
export function encodePayload(bytes: Uint8Array, encoding: PayloadEncoding): string {
  return encodings[encoding].write(bytes);
}

/** Reads a payload's text in one encoding, as leniently as applications: white space, no `=`, unused bits, either case. */
export function decodePayload(text: string, encoding: PayloadEncoding): PayloadDecoding {
  const { title, stranger } = encodings[encoding];
  const compact = text.replace(/\s+/g, '');
  const digits = encoding === 'hex' ? compact : compact.replace(/={1,2}$/, '');
  const at = digits.search(stranger);
  if (at >= 0) return { ok: false, detail: describeCharacter(digits.codePointAt(at) ?? 0, title) };
  const isWhole = encoding === 'hex' ? digits.length % 2 === 0 : digits.length % 4 !== 1;
  if (!isWhole) return { ok: false, detail: `${digits.length} digits are not whole ${title}` };
  return { ok: true, bytes: Buffer.from(digits, encoding) };
}

function describeCharacter(code: number, title: string): string {
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const shown = code > 0x20 && code < 0x7f ? `"${String.fromCodePoint(code)}"` : number;
  return `${shown} is not a digit of ${title}`;
}

/** A payload's bytes by their meaning; the tag is empty outside GCM. */
export interface Layout {
  /** IV or salt, whichever the payload carries. */
  readonly header: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

interface LayoutProblem {
  readonly failure: 'payload-length' | 'salt-missing';
  readonly detail: string;
}

/** The bytes of IV or salt before ciphertext and tag, without the word "Salted__". */
export function headerBytes(cipher: Cipher): number {
  if (isSalted(cipher.key)) return saltBytes;
  return cipher.iv === 'prefix' ? ivBytesOf(cipher) : 0;
}

function magicOf(cipher: Cipher): Uint8Array {
  return isSalted(cipher.key) ? saltMagic : new Uint8Array();
}

/** Why the bytes can't be split: the salt's word is missing, or their number can't be right. */
export function findLayoutProblem(
  bytes: Uint8Array,
  algorithm: Algorithm,
  cipher: Cipher,
): LayoutProblem | undefined {
  const magic = magicOf(cipher);
  if (!constantTimeEqual(bytes.subarray(0, magic.length), magic)) {
    return problem('salt-missing', 'the payload does not begin with "Salted__"');
  }
  const overhead = magic.length + headerBytes(cipher) + algorithm.tagBytes;
  const length = bytes.length - overhead;
  if (length < 0) {
    return problem('payload-length', `${bytes.length} bytes, at least ${overhead} are needed`);
  }
  const needsBlocks = isBlockMode(algorithm.mode) || (cipher.padding ?? 'none') !== 'none';
  if (needsBlocks && length % algorithm.blockBytes !== 0) {
    const wanted = `not a multiple of the block of ${algorithm.blockBytes}`;
    return problem('payload-length', `${length} bytes of ciphertext are ${wanted}`);
  }
  const addsAlways = cipher.padding !== 'none' && cipher.padding !== 'zero';
  return length === 0 && needsBlocks && addsAlways
    ? problem('payload-length', 'the ciphertext is empty, but padding requires at least one block')
    : undefined;
}

export function joinLayout(cipher: Cipher, { header, ciphertext, tag }: Layout): Uint8Array {
  const body = cipher.tag === 'after-iv' ? [tag, ciphertext] : [ciphertext, tag];
  return Buffer.concat([magicOf(cipher), header, ...body]);
}

/** Takes bytes apart in which `findLayoutProblem` finds nothing. */
export function splitLayout(bytes: Uint8Array, { tagBytes }: Algorithm, cipher: Cipher): Layout {
  const start = magicOf(cipher).length;
  const bodyStart = start + headerBytes(cipher);
  const header = bytes.subarray(start, bodyStart);
  const body = bytes.subarray(bodyStart);
  const tagStart = cipher.tag === 'after-iv' ? 0 : body.length - tagBytes;
  const tag = body.subarray(tagStart, tagStart + tagBytes);
  const ciphertext =
    cipher.tag === 'after-iv' ? body.subarray(tagBytes) : body.subarray(0, tagStart);
  return { header, ciphertext, tag };
}

function problem(failure: LayoutProblem['failure'], detail: string): LayoutProblem {
  return { failure, detail };
}

/** A plaintext without its padding, or what the last block shows instead. */
type UnpadResult =
  | { readonly ok: true; readonly plaintext: Uint8Array }
  | { readonly ok: false; readonly detail: string };

/**
 * Fills the plaintext up to whole blocks of `blockBytes` bytes.
 *
 * PKCS #7 (RFC 5652 6.3), ANSI X9.23 and ISO 10126 always add 1 to `blockBytes` bytes, the last of
 * which is their number; `zero` adds NULs only to a broken block; `none` adds nothing.
 */
export function pad(
  plaintext: Uint8Array,
  padding: Padding,
  blockBytes: number,
  randomBytes: RandomBytes,
): Uint8Array {
  const rest = plaintext.length % blockBytes;
  if (padding === 'none' || (padding === 'zero' && rest === 0)) return plaintext;
  const count = blockBytes - rest;
  const filler = Buffer.alloc(count, padding === 'pkcs7' ? count : 0);
  if (padding === 'iso10126') filler.set(randomBytes(count));
  if (padding !== 'zero') filler[count - 1] = count;
  return Buffer.concat([plaintext, filler]);
}

/**
 * Takes the padding off. The detail of a failure names only byte values that a padding would have
 * had to explain: the last one, and how many before it agree.
 */
export function unpad(padded: Uint8Array, padding: Padding, blockBytes: number): UnpadResult {
  if (padding === 'none') return { ok: true, plaintext: padded };
  if (padding === 'zero') return { ok: true, plaintext: withoutTrailingNuls(padded) };
  const count = padded.at(-1) ?? 0;
  if (count < 1 || count > blockBytes || count > padded.length) {
    return { ok: false, detail: describeLastByte(padded, blockBytes) };
  }
  const expected = { pkcs7: count, ansix923: 0, iso10126: undefined }[padding];
  const filler = padded.subarray(padded.length - count, padded.length - 1);
  if (expected !== undefined && filler.some((byte) => byte !== expected))
    return {
      ok: false,
      detail: `the last byte is ${hexByte(count)}, but the bytes before it are not ${padding} padding`,
    };
  return { ok: true, plaintext: padded.subarray(0, padded.length - count) };
}

function withoutTrailingNuls(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

function describeLastByte(padded: Uint8Array, blockBytes: number): string {
  const nuls = padded.length - withoutTrailingNuls(padded).length;
  if (nuls > 0) return `the plaintext ends in ${counted(nuls, 'NUL byte')}`;
  const last = hexByte(padded.at(-1) ?? 0);
  return `the last byte is ${last}, not a padding length from 1 to ${blockBytes}`;
}

function hexByte(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`;
}
