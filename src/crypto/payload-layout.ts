import { constantTimeEqual } from '../bytes.ts';
import type { Cipher } from './cipher.ts';
import { isSalted } from './cipher.ts';
import { type Algorithm, isBlockMode, ivBytesOf } from './cipher-algorithms.ts';
import { saltBytes, saltMagic } from './evp-bytes-to-key.ts';

/** A payload's bytes by their meaning; the tag is empty outside GCM. */
export interface Layout {
  /** IV or salt, whichever the payload carries. */
  readonly header: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

/** Bytes that can't be the cipher's, and what is wrong with them. */
export interface LayoutProblem {
  readonly failure: 'payload-length' | 'salt-missing';
  readonly detail: string;
}

/** How many bytes of IV or salt stand before ciphertext and tag, the word "Salted__" not counted. */
export function headerBytes(cipher: Cipher): number {
  if (isSalted(cipher.key)) return saltBytes;
  return cipher.iv === 'prefix' ? ivBytesOf(cipher) : 0;
}

const nothing = new Uint8Array(0);

function magicOf(cipher: Cipher): Uint8Array {
  return isSalted(cipher.key) ? saltMagic : nothing;
}

/** Why the bytes can't be split: the salt's word is missing, or their number can't be right. */
export function findLayoutProblem(
  bytes: Uint8Array,
  algorithm: Algorithm,
  cipher: Cipher,
): LayoutProblem | undefined {
  const magic = magicOf(cipher);
  if (magic !== nothing && !constantTimeEqual(bytes.subarray(0, magic.length), magic)) {
    return problem('salt-missing', 'the payload does not begin with "Salted__"');
  }
  const overhead = magic.length + headerBytes(cipher) + algorithm.tagBytes;
  const length = bytes.length - overhead;
  if (length < 0) {
    return problem('payload-length', `${bytes.length} bytes, at least ${overhead} are needed`);
  }
  const needsBlocks = isBlockMode(algorithm.mode) || (cipher.padding ?? 'none') !== 'none';
  if (needsBlocks && length % algorithm.blockBytes !== 0) {
    const wanted = `no multiple of the block of ${algorithm.blockBytes}`;
    return problem('payload-length', `${length} bytes of ciphertext are ${wanted}`);
  }
  const addsAlways = cipher.padding !== 'none' && cipher.padding !== 'zero';
  return length === 0 && needsBlocks && addsAlways
    ? problem('payload-length', 'there is no ciphertext, and padding makes at least one block')
    : undefined;
}

/** The payload's bytes, everything in its place. */
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
