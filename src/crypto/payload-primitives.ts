import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  type DecipherGCM,
} from 'node:crypto';
import type { Algorithm } from './cipher-algorithms.ts';
import type { KeyMaterial } from './key-derivation.ts';
import type { Layout } from './payload-layout.ts';

const nothing = new Uint8Array(0);

/** Encrypts whole text (padded where the mode needs it) into ciphertext and, in GCM, tag. */
export function seal(
  padded: Uint8Array,
  { name, mode, tagBytes: authTagLength }: Algorithm,
  { keyObject, iv }: KeyMaterial,
): Omit<Layout, 'header'> {
  if (mode === 'gcm') {
    const gcm = createCipheriv(name as CipherGCMTypes, keyObject, iv, { authTagLength });
    const ciphertext = Buffer.concat([gcm.update(padded), gcm.final()]);
    return { ciphertext, tag: gcm.getAuthTag() };
  }
  const ciphertext = createCipheriv(name, keyObject, iv).setAutoPadding(false).update(padded);
  return { ciphertext, tag: nothing }; // whole blocks: nothing is held back for the end
}

/**
 * The plaintext with its padding still on, so that a wrong one can be looked at; undefined where
 * GCM's tag doesn't fit.
 */
export function open(
  { ciphertext, tag }: Layout,
  algorithm: Algorithm,
  material: KeyMaterial,
): Uint8Array | undefined {
  const decipher = startDecryption(algorithm, material);
  // Without padding nothing is held back for the end, and without a tag nothing is found out there.
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

/**
 * A running decryption that takes no padding off.
 *
 * Without `authTagLength` Node 20 and 22 take a tag cut to 12 bytes silently.
 */
export function startDecryption(
  { name, mode, tagBytes: authTagLength }: Algorithm,
  { keyObject, iv }: KeyMaterial,
): DecipherGCM {
  const options = mode === 'gcm' ? { authTagLength } : undefined;
  const decipher = createDecipheriv(name as CipherGCMTypes, keyObject, iv, options);
  decipher.setAutoPadding(false);
  return decipher;
}
