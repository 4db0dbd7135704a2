import { createHash } from 'node:crypto';
import {
  algorithmOf,
  type Cipher,
  isBlockMode,
  isSalted,
  type Padding,
  type PayloadEncoding,
} from '../crypto/cipher.ts';
import { listCiphers } from '../crypto/cipher-notation.ts';
import { saltMagic } from '../crypto/key-derivation.ts';
import { decryptPadded, peekPlaintext } from '../crypto/payload-ciphers.ts';
import { decodePayload, unpad } from '../crypto/payload-format.ts';
import { paddingEvidence } from './cipher-priors.ts';
import { isTextLike } from './plausibility.ts';

export interface Reading {
  readonly cipher: Cipher;
  /** The same without padding and encoding: one of those that were tried. */
  readonly tried: Cipher;
  readonly plaintext: Uint8Array;
  readonly proofBits: number;
}

/** A payload's bytes, with the encodings that give them, the likelier first. */
export interface DecodedPayload {
  readonly bytes: Uint8Array;
  readonly encodings: readonly PayloadEncoding[];
  /** Its Base64 has no "=" where standard encoders write it. */
  readonly lacksPadding: boolean;
}

export interface CipherCandidate {
  /** In the canonical notation. */
  readonly cipher: string;
  readonly confidence: 'certain' | 'likely' | 'possible';
  readonly plaintext: Uint8Array;
}

/**
 * Never two certain ones: ciphers that give the same text from these payloads, such as ECB and CBC
 * with a zero IV of one block, can't be distinguished. Of those that differ in padding, encoding or the
 * length of a fixed IV alone the first is the usual one, and stays.
 */
export function withOneCertain(candidates: readonly CipherCandidate[]): CipherCandidate[] {
  const certain = candidates.filter(({ confidence }) => confidence === 'certain');
  const isSettled = new Set(certain.map(({ cipher }) => withoutForm(cipher))).size < 2;
  return candidates.map((candidate) =>
    candidate.confidence !== 'certain' || (isSettled && candidate === certain[0])
      ? candidate
      : { ...candidate, confidence: 'likely' },
  );
}

function withoutForm(notation: string): string {
  return notation.replace(/[?&](?:padding|encoding|ivlen|iv=hex:)[^&]*/g, '');
}

/** log2 of the readings that are tried for one payload, rounded up: 5,116, of some texts twice. */
export const hypothesisBits = 14;

/** Readings with one text are named within this distance of the best. */
export const equalBits = 6.5;

/** How much rarer standard Base64 without its "=" is than base64url, in bits. */
export const unpaddedBits = 4;

export const mostCandidates = 10;

/** IVs written into code by hand: the ones that tutorials show, in hexadecimal. */
export const usualIvs = [
  ...[
    '1234567890123456',
    '0123456789abcdef',
    '0123456789ABCDEF',
    'abcdefghijklmnop',
    '0000000000000000',
  ].map((text) => Buffer.from(text).toString('hex')),
  '000102030405060708090a0b0c0d0e0f',
  '0102030405060708090a0b0c0d0e0f10',
];

/** Longer ciphertexts are decrypted only where their beginning is text. */
const wholeBytes = 4096;

const tagBits = 128;

let cached: readonly Cipher[] | undefined;

/** Every way to decrypt, encoding and padding aside. */
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
  const ivs = new Set(usualIvs.map((iv) => iv.slice(0, digits)));
  return [...ivs].map((iv) => ({ ...cipher, iv: `hex:${iv}` as const }));
}

/** The same cipher with each rule that takes the IV from elsewhere, and each usual fixed IV. */
export function otherIvs(cipher: Cipher): readonly Cipher[] {
  const zero: Cipher = { ...cipher, iv: 'zero' };
  const ofKey = (['key-head', 'key-tail'] as const).map((iv) => ({ ...cipher, iv }));
  return [zero, ...ofKey, ...withUsualIvs(zero)];
}

/** Base64 of noise is this many hexadecimal digits once in 2^49. */
const surelyHexDigits = 32;

/** The bytes of a payload's text in each encoding that it can be; empty for text in none. */
export function decodeAll(payload: string): DecodedPayload[] {
  const found: DecodedPayload[] = [];
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    const decoded = decodePayload(payload, encoding);
    if (!decoded.ok) continue;
    const isBoth = encoding === 'base64' && !/[+/]/.test(payload);
    const lacksPadding = encoding !== 'hex' && payload.replace(/\s+/g, '').length % 4 !== 0;
    const encodings = isBoth ? (['base64', 'base64url'] as const) : [encoding];
    found.push({ bytes: decoded.bytes, encodings, lacksPadding });
    if (isBoth || (encoding === 'hex' && 2 * decoded.bytes.length >= surelyHexDigits)) break;
  }
  return found;
}

/** Every reading by `ciphers` that tag and padding allow; after "Salted__" only `evp-*` is tried. */
export function* readBytes(
  bytes: Uint8Array,
  key: string,
  ciphers: Iterable<Cipher> = ciphersToTry(),
): Generator<Reading> {
  const isSaltedPayload = Buffer.from(bytes.subarray(0, saltMagic.length)).equals(saltMagic);
  for (const cipher of ciphers) {
    if (isSalted(cipher.key) !== isSaltedPayload) continue;
    const padded = decryptWhole(bytes, key, cipher);
    if (padded !== undefined) yield* withoutPadding(padded, cipher);
  }
}

function decryptWhole(bytes: Uint8Array, key: string, cipher: Cipher): Uint8Array | undefined {
  if (bytes.length > wholeBytes) {
    const head = peekPlaintext(bytes, key, cipher, wholeBytes);
    // The first block is noise where the IV is unknown; what follows must be text.
    if (head === undefined || !isTextLike(skipCharacter(head.subarray(16)), true)) return undefined;
  }
  const result = decryptPadded(bytes, key, cipher);
  return result.ok ? result.plaintext : undefined;
}

/** Without the bytes of a UTF-8 character that began before. */
export function skipCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}

function* withoutPadding(padded: Uint8Array, cipher: Cipher): Generator<Reading> {
  const { mode, blockBytes, paddings } = algorithmOf(cipher);
  if (mode === 'gcm') yield { cipher, tried: cipher, plaintext: padded, proofBits: tagBits };
  for (const padding of paddings) {
    if (!isBlockMode(mode) && padding !== 'none' && padded.length % blockBytes !== 0) continue;
    const result = unpad(padded, padding, blockBytes);
    if (!result.ok) continue;
    const taken = padded.length - result.plaintext.length;
    const proofBits = proofOf(padding, taken, blockBytes, isBlockMode(mode));
    const { plaintext } = result;
    yield { cipher: { ...cipher, padding }, tried: cipher, plaintext, proofBits };
  }
}

/** A stream mode needs no padding, so its absence is not surprising there. */
function proofOf(padding: Padding, taken: number, blockBytes: number, isBlocks: boolean): number {
  if (!isBlocks && padding === 'none') return 0;
  return paddingEvidence(padding, taken, blockBytes) - (isBlocks ? 0 : 1);
}

export function plaintextId(plaintext: Uint8Array): string {
  return createHash('sha256').update(plaintext).digest('base64');
}
