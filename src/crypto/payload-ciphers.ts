import type { RandomBytes } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import type { Cipher } from './cipher.ts';
import { algorithmOf, isBlockMode } from './cipher-algorithms.ts';
import { type DeriveKeyMaterial, prepareKey } from './key-derivation.ts';
import { decodePayload, encodePayload } from './payload-encoding.ts';
import { findLayoutProblem, headerBytes, joinLayout, splitLayout } from './payload-layout.ts';
import { pad, requireWholeBlocks, unpad } from './payload-padding.ts';
import { open, seal, startDecryption } from './payload-primitives.ts';

/**
 * The step at which decryption failed.
 *
 * - `payload-encoding`: the text is not in the cipher's encoding
 * - `payload-length`: too few bytes, or no whole blocks
 * - `salt-missing`: it doesn't begin with "Salted__", as `evp-*` demands
 * - `key-unusable`: the key gives too few bytes, or can't be read as the cipher says
 * - `bad-padding`, `bad-tag`: decrypted, but the result proves that key or cipher is another one
 */
export type PayloadFailure =
  | 'payload-encoding'
  | 'payload-length'
  | 'salt-missing'
  | 'key-unusable'
  | 'bad-padding'
  | 'bad-tag';

/** The plaintext, or the step that failed and what was seen there, without a secret. */
export type DecryptResult =
  | { readonly ok: true; readonly plaintext: Uint8Array }
  | { readonly ok: false; readonly failure: PayloadFailure; readonly detail: string };

/**
 * Encrypts a plaintext with the per-user key into a payload's text.
 *
 * Only GCM protects against changes on the way; ECB, fixed IVs and `evp-*` are here because peers
 * use them, not because anybody should.
 *
 * @throws {AuthcliError} `usage` where the key can't be used with the cipher, or the plaintext isn't
 *   whole blocks and the cipher has no padding
 */
export function encryptPayload(
  plaintext: Uint8Array,
  key: string,
  cipher: Cipher,
  randomBytes: RandomBytes,
): string {
  return encryptPrepared(plaintext, prepareKey(key), cipher, randomBytes);
}

/** Like `encryptPayload`, for several payloads under one key that is prepared once. */
export function encryptPrepared(
  plaintext: Uint8Array,
  derive: DeriveKeyMaterial,
  cipher: Cipher,
  randomBytes: RandomBytes,
): string {
  const algorithm = algorithmOf(cipher);
  const header = randomBytes(headerBytes(cipher));
  const derived = derive(cipher, header);
  if (!derived.ok) {
    throw new AuthcliError('usage', `The key can't be used with this cipher: ${derived.reason}.`);
  }
  const { padding = 'none' } = cipher;
  if (isBlockMode(algorithm.mode)) requireWholeBlocks(plaintext, padding, algorithm.blockBytes);
  const padded = cipher.padding
    ? pad(plaintext, padding, algorithm.blockBytes, randomBytes)
    : plaintext;
  return encodePayload(
    joinLayout(cipher, { header, ...seal(padded, algorithm, derived.material) }),
    cipher.encoding,
  );
}

/**
 * Decrypts a payload's text with the per-user key. Never throws for what payload and key hold.
 *
 * The outcome tells more than a program on a network may tell: a padding oracle. It belongs to
 * the tester alone; whatever listens must answer all failures alike.
 */
export function decryptPayload(payload: string, key: string, cipher: Cipher): DecryptResult {
  const decoded = decodePayload(payload, cipher.encoding);
  if (!decoded.ok) return failed('payload-encoding', decoded.detail);
  return decryptBytes(decoded.bytes, prepareKey(key), cipher);
}

/** Like `decryptPayload`, for a payload whose encoding has been taken off and a prepared key. */
export function decryptBytes(
  bytes: Uint8Array,
  derive: DeriveKeyMaterial,
  cipher: Cipher,
): DecryptResult {
  const padded = decryptPadded(bytes, derive, cipher);
  if (!padded.ok || cipher.padding === undefined) return padded;
  const unpadded = unpad(padded.plaintext, cipher.padding, algorithmOf(cipher).blockBytes);
  return unpadded.ok ? unpadded : failed('bad-padding', unpadded.detail);
}

/** Decrypts and leaves the padding on, so that it can be looked at. */
export function decryptPadded(
  bytes: Uint8Array,
  derive: DeriveKeyMaterial,
  cipher: Cipher,
): DecryptResult {
  const algorithm = algorithmOf(cipher);
  const problem = findLayoutProblem(bytes, algorithm, cipher);
  if (problem !== undefined) return failed(problem.failure, problem.detail);
  const layout = splitLayout(bytes, algorithm, cipher);
  const derived = derive(cipher, layout.header);
  if (!derived.ok) return failed('key-unusable', derived.reason);
  const plaintext = open(layout, algorithm, derived.material);
  if (plaintext === undefined) return failed('bad-tag', 'the authentication tag does not fit');
  return { ok: true, plaintext };
}

/**
 * The first `size` bytes (whole blocks) of what decryption would give, with GCM's tag not looked at:
 * enough to see whether a long payload is worth decrypting. Undefined where the cipher can't apply.
 */
export function peekPlaintext(
  bytes: Uint8Array,
  derive: DeriveKeyMaterial,
  cipher: Cipher,
  size: number,
): Uint8Array | undefined {
  const algorithm = algorithmOf(cipher);
  if (findLayoutProblem(bytes, algorithm, cipher) !== undefined) return undefined;
  const { header, ciphertext } = splitLayout(bytes, algorithm, cipher);
  const derived = derive(cipher, header);
  if (!derived.ok) return undefined;
  return startDecryption(algorithm, derived.material).update(ciphertext.subarray(0, size));
}

function failed(failure: PayloadFailure, detail: string): DecryptResult {
  return { ok: false, failure, detail };
}
