import { createHash } from 'node:crypto';
import type { Cipher, Padding, PayloadEncoding } from '../crypto/cipher.ts';
import { isSalted } from '../crypto/cipher.ts';
import { algorithmOf, isBlockMode } from '../crypto/cipher-algorithms.ts';
import { listCiphers } from '../crypto/cipher-space.ts';
import { saltMagic } from '../crypto/evp-bytes-to-key.ts';
import type { DeriveKeyMaterial } from '../crypto/key-derivation.ts';
import { decryptPadded, peekPlaintext } from '../crypto/payload-ciphers.ts';
import { decodePayload } from '../crypto/payload-encoding.ts';
import { unpad } from '../crypto/payload-padding.ts';
import { paddingEvidence } from './cipher-priors.ts';
import { isTextLike } from './plausibility.ts';

/** One way to read a payload that its bytes allow. */
export interface Reading {
  readonly cipher: Cipher;
  readonly plaintext: Uint8Array;
  /** What padding and tag say for it, in bits; the text is weighed by others. */
  readonly proofBits: number;
}

/** A payload's bytes, with the encodings that give them, the likelier first. */
export interface DecodedPayload {
  readonly bytes: Uint8Array;
  readonly encodings: readonly PayloadEncoding[];
}

/** IVs written into code by hand: the ones that tutorials show. */
const usualIvs = [
  '1234567890123456',
  '0123456789abcdef',
  '0123456789ABCDEF',
  'abcdefghijklmnop',
  '0000000000000000',
].map((text) => Buffer.from(text).toString('hex') as string);

/** Longer ciphertexts are decrypted only where their beginning is text. */
const wholeBytes = 4096;

/** A forged tag of 128 bits passes with probability 2^-128. */
const tagBits = 128;

let cached: readonly Cipher[] | undefined;

/** Every way to decrypt, encoding and padding aside: one cipher of the notation's space for each. */
function ciphersToTry(): readonly Cipher[] {
  cached ??= listCiphers()
    .filter(({ encoding, padding = 'none' }) => encoding === 'base64' && padding === 'none')
    .flatMap((cipher) => [cipher, ...withUsualIvs(cipher)]);
  return cached;
}

function withUsualIvs(cipher: Cipher): Cipher[] {
  const { ivBytes, mode } = algorithmOf(cipher);
  if (cipher.iv !== 'zero' || mode === 'gcm') return [];
  const digits = 2 * (ivBytes[0] ?? 0);
  const counting = ['000102030405060708090a0b0c0d0e0f', '0102030405060708090a0b0c0d0e0f10'];
  const ivs = new Set([...usualIvs, ...counting].map((iv) => iv.slice(0, digits)));
  return [...ivs].map((iv) => ({ ...cipher, iv: `hex:${iv}` as const }));
}

/** Base64 of noise has hexadecimal digits alone, so many of them, once in 2^49. */
const surelyHexDigits = 32;

/** The bytes of a payload's text in each encoding that it can be; empty for text in none. */
export function decodeAll(payload: string): DecodedPayload[] {
  const found: DecodedPayload[] = [];
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    const decoded = decodePayload(payload, encoding);
    if (!decoded.ok) continue;
    const isBoth = encoding === 'base64' && !/[+/]/.test(payload);
    found.push({ bytes: decoded.bytes, encodings: isBoth ? ['base64', 'base64url'] : [encoding] });
    if (isBoth || (encoding === 'hex' && 2 * decoded.bytes.length >= surelyHexDigits)) break;
  }
  return found;
}

/**
 * Every reading of bytes under a key that tag and padding allow, the text not yet weighed. Where
 * "Salted__" stands in front, only `evp-*` is tried: by chance it stands there once in 2^64.
 */
export function* readBytes(bytes: Uint8Array, derive: DeriveKeyMaterial): Generator<Reading> {
  const isSaltedPayload = Buffer.from(bytes.subarray(0, saltMagic.length)).equals(saltMagic);
  for (const cipher of ciphersToTry()) {
    if (isSalted(cipher.key) !== isSaltedPayload) continue;
    const padded = decryptWhole(bytes, derive, cipher);
    if (padded !== undefined) yield* withoutPadding(padded, cipher);
  }
}

function decryptWhole(
  bytes: Uint8Array,
  derive: DeriveKeyMaterial,
  cipher: Cipher,
): Uint8Array | undefined {
  if (bytes.length > wholeBytes) {
    const head = peekPlaintext(bytes, derive, cipher, wholeBytes);
    // The first block is noise where the IV is unknown; what follows must be text.
    if (head === undefined || !isTextLike(skipCharacter(head.subarray(16)), true)) return undefined;
  }
  const result = decryptPadded(bytes, derive, cipher);
  return result.ok ? result.plaintext : undefined;
}

/** Without the bytes of a character that began before. */
function skipCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}

function* withoutPadding(padded: Uint8Array, cipher: Cipher): Generator<Reading> {
  const { mode, blockBytes, paddings } = algorithmOf(cipher);
  if (mode === 'gcm') yield { cipher, plaintext: padded, proofBits: tagBits };
  for (const padding of paddings) {
    if (!isBlockMode(mode) && padding !== 'none' && padded.length % blockBytes !== 0) continue;
    const result = unpad(padded, padding, blockBytes);
    if (!result.ok) continue;
    const taken = padded.length - result.plaintext.length;
    const proofBits = proofOf(padding, taken, blockBytes, isBlockMode(mode));
    yield { cipher: { ...cipher, padding }, plaintext: result.plaintext, proofBits };
  }
}

/** A stream mode needs no padding, so its absence is no surprise there. */
function proofOf(padding: Padding, taken: number, blockBytes: number, isBlocks: boolean): number {
  if (!isBlocks && padding === 'none') return 0;
  return paddingEvidence(padding, taken, blockBytes) - (isBlocks ? 0 : 1);
}

/** Names a plaintext, so that equal ones are found without comparing each with each. */
export function plaintextId(plaintext: Uint8Array): string {
  return createHash('sha256').update(plaintext).digest('base64');
}
