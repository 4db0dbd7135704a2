import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { Algorithm } from './cipher-algorithms.ts';

/** The block cipher of an algorithm, applied to one block: its forward function. */
export function encryptBlock(algorithm: Algorithm, key: KeyObject, block: Uint8Array): Uint8Array {
  return createCipheriv(singleBlockName(algorithm), key, null).setAutoPadding(false).update(block);
}

/** The inverse function of the block cipher, on one block. */
export function decryptBlock(algorithm: Algorithm, key: KeyObject, block: Uint8Array): Uint8Array {
  return createDecipheriv(singleBlockName(algorithm), key, null)
    .setAutoPadding(false)
    .update(block);
}

/** ECB of one block is the block cipher itself. */
function singleBlockName({ name, mode }: Algorithm): string {
  return name === 'des-ede3-cbc' ? 'des-ede3' : name.replace(new RegExp(`${mode}$`), 'ecb');
}
