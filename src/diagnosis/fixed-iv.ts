import { encodeHex } from '../bytes.ts';
import { decryptBlock, encryptBlock } from '../crypto/block-cipher.ts';
import type { Cipher, IvLength, Padding } from '../crypto/cipher.ts';
import { type Algorithm, algorithmOf, isBlockMode } from '../crypto/cipher-algorithms.ts';
import { listCiphers } from '../crypto/cipher-space.ts';
import { solveGcmIv } from '../crypto/ghash.ts';
import type { DeriveKeyMaterial } from '../crypto/key-derivation.ts';
import { decryptBytes, peekPlaintext } from '../crypto/payload-ciphers.ts';
import { pad } from '../crypto/payload-padding.ts';
import { assessPlaintext } from './plausibility.ts';

/** A cipher with the fixed IV under which a payload reads as the known plaintext. */
export interface SolvedIv {
  readonly cipher: Cipher;
  /** The plaintext and padding beyond the block that the IV was solved from, in bits. */
  readonly verifiedBits: number;
  /** How much the IV looks like one that somebody wrote down rather than drew, in bits. */
  readonly ivBits: number;
}

const peekedBytes = 64;

/**
 * Solves the IV that is no part of the payload from the first block of a known plaintext, for every
 * algorithm and reading of the key:
 *
 * - CBC: P1 = D(C1) xor IV (NIST SP 800-38A 6.2)
 * - CFB and CTR: P1 = C1 xor E(IV) (6.3, 6.5)
 * - GCM: P1 = C1 xor E(J0 + 1), from which the IV follows (SP 800-38D 7.1)
 *
 * The text, with its padding, has to fill the first block. Each result decrypts the payload to the
 * known plaintext.
 */
export function solveFixedIvs(
  bytes: Uint8Array,
  derive: DeriveKeyMaterial,
  known: Uint8Array,
): SolvedIv[] {
  return listCiphers()
    .filter(({ iv, encoding }) => iv === 'zero' && encoding === 'base64')
    .flatMap((cipher) => {
      const iv = solve(cipher, bytes, derive, known);
      if (iv === undefined) return [];
      const solved: Cipher = { ...cipher, iv: `hex:${encodeHex(iv)}` };
      if (!isReadAs(known, bytes, derive, solved)) return [];
      return [{ cipher: solved, verifiedBits: verifiedBits(solved, bytes), ivBits: ivBits(iv) }];
    });
}

/** Looks at the beginning first, since a whole decryption of each candidate would take long. */
function isReadAs(
  known: Uint8Array,
  bytes: Uint8Array,
  derive: DeriveKeyMaterial,
  cipher: Cipher,
): boolean {
  const head = peekPlaintext(bytes, derive, cipher, peekedBytes)?.subarray(0, known.length);
  if (
    head === undefined ||
    !known.subarray(0, head.length).every((byte, at) => byte === head[at])
  ) {
    return false;
  }
  const result = decryptBytes(bytes, derive, cipher);
  return result.ok && Buffer.compare(result.plaintext, known) === 0;
}

function solve(
  cipher: Cipher,
  bytes: Uint8Array,
  derive: DeriveKeyMaterial,
  known: Uint8Array,
): Uint8Array | undefined {
  const algorithm = algorithmOf(cipher);
  const { blockBytes, mode } = algorithm;
  const ciphertext = cipher.tag === 'after-iv' ? bytes.subarray(algorithm.tagBytes) : bytes;
  const plain = firstBlock(known, cipher.padding ?? 'none', algorithm);
  const derived = derive(cipher, new Uint8Array(0));
  if (plain === undefined || ciphertext.length < blockBytes || !derived.ok) return undefined;
  const { keyObject } = derived.material;
  const first = ciphertext.subarray(0, blockBytes);
  if (mode === 'cbc') return xor(decryptBlock(algorithm, keyObject, first), plain);
  const counter = decryptBlock(algorithm, keyObject, xor(first, plain));
  if (mode !== 'gcm') return counter;
  return gcmIv(counter, cipher.ivlen, () => encryptBlock(algorithm, keyObject, new Uint8Array(16)));
}

/** The plaintext's first block, padding included; undefined where it isn't known in whole. */
function firstBlock(
  known: Uint8Array,
  padding: Padding,
  { blockBytes, mode }: Algorithm,
): Uint8Array | undefined {
  if (known.length >= blockBytes) return known.subarray(0, blockBytes);
  const isUnknown = padding === 'iso10126' || padding === 'none';
  if (isUnknown || mode === 'gcm') return undefined;
  const padded = pad(known, padding, blockBytes, (size) => new Uint8Array(size));
  return padded.length < blockBytes ? undefined : padded.subarray(0, blockBytes);
}

/** SP 800-38D 7.1: the first text block is sealed with inc32(J0), and J0 = IV || 0^31 || 1 for 12 bytes. */
function gcmIv(
  counter: Uint8Array,
  ivlen: IvLength | undefined,
  hashSubkey: () => Uint8Array,
): Uint8Array | undefined {
  const preCounter = Buffer.from(counter);
  preCounter.writeUInt32BE((preCounter.readUInt32BE(12) - 1) >>> 0, 12);
  if (ivlen === 16) return solveGcmIv(preCounter, hashSubkey());
  return preCounter.readUInt32BE(12) === 1 ? preCounter.subarray(0, 12) : undefined;
}

/** A tag verifies everything; otherwise what stands after the first block does. */
function verifiedBits(cipher: Cipher, bytes: Uint8Array): number {
  const { blockBytes, mode, tagBytes } = algorithmOf(cipher);
  if (tagBytes > 0) return 8 * tagBytes;
  const verified = 8 * (bytes.length - blockBytes);
  return isBlockMode(mode) && cipher.padding === 'none' ? verified - 1 : verified;
}

function ivBits(iv: Uint8Array): number {
  const steps = new Set(iv.map((byte, index) => byte - (iv[index - 1] ?? byte)).subarray(1));
  if (steps.size === 1) return 8 * iv.length - 16;
  return Math.max(0, assessPlaintext(iv).bits);
}

function xor(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, index) => byte ^ (right[index] ?? 0));
}
