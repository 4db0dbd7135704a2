import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  type DecipherGCM,
} from 'node:crypto';
import type { Algorithm } from './cipher.ts';
import type { KeyMaterial } from './key-derivation.ts';
import type { Layout } from './payload-format.ts';

/** The block cipher of an algorithm, applied to one block: its forward function. */
export function encryptBlock(algorithm: Algorithm, key: Uint8Array, block: Uint8Array): Uint8Array {
  return createCipheriv(singleBlockName(algorithm), key, null).setAutoPadding(false).update(block);
}

/** The inverse function of the block cipher, on one block. */
export function decryptBlock(algorithm: Algorithm, key: Uint8Array, block: Uint8Array): Uint8Array {
  return createDecipheriv(singleBlockName(algorithm), key, null)
    .setAutoPadding(false)
    .update(block);
}

/** ECB of one block is the block cipher itself. */
function singleBlockName({ name, mode }: Algorithm): string {
  return name === 'des-ede3-cbc' ? 'des-ede3' : name.replace(new RegExp(`${mode}$`), 'ecb');
}

/** Encrypts whole text (padded where the mode needs it) into ciphertext and, in GCM, tag. */
export function seal(
  padded: Uint8Array,
  { name, mode, tagBytes: authTagLength }: Algorithm,
  { key, iv }: KeyMaterial,
): Omit<Layout, 'header'> {
  if (mode === 'gcm') {
    const gcm = createCipheriv(name as CipherGCMTypes, key, iv, { authTagLength });
    const ciphertext = Buffer.concat([gcm.update(padded), gcm.final()]);
    return { ciphertext, tag: gcm.getAuthTag() };
  }
  const ciphertext = createCipheriv(name, key, iv).setAutoPadding(false).update(padded);
  return { ciphertext, tag: new Uint8Array() }; // whole blocks: nothing is left for the end
}

/**
 * The plaintext with its padding still on, so that a wrong one can be inspected; undefined if
 * GCM's tag doesn't fit.
 */
export function open(
  { ciphertext, tag }: Layout,
  algorithm: Algorithm,
  material: KeyMaterial,
): Uint8Array | undefined {
  const decipher = startDecryption(algorithm, material);
  // Without padding nothing is left for the end, and without a tag nothing is found out there.
  if (algorithm.mode !== 'gcm') return decipher.update(ciphertext);
  decipher.setAuthTag(tag);
  const plaintext = decipher.update(ciphertext);
  try {
    decipher.final();
    return plaintext;
  } catch {
    return undefined;
  }
}

/** A running decryption that takes no padding off. */
export function startDecryption(
  { name, mode, tagBytes: authTagLength }: Algorithm,
  { key, iv }: KeyMaterial,
): DecipherGCM {
  // without authTagLength Node 20 and 22 take a tag cut to 12 bytes silently
  const options = mode === 'gcm' ? { authTagLength } : undefined;
  const decipher = createDecipheriv(name as CipherGCMTypes, key, iv, options);
  decipher.setAutoPadding(false);
  return decipher;
}
