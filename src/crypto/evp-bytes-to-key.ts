import { createHash } from 'node:crypto';
import { encodeUtf8 } from '../bytes.ts';

/** The eight characters that OpenSSL and CryptoJS put before the salt. */
export const saltMagic: Uint8Array = encodeUtf8('Salted__');

/** The length of the salt in bytes. */
export const saltBytes = 8;

/**
 * OpenSSL's `EVP_BytesToKey` with one round, which `openssl enc` without `-pbkdf2` and CryptoJS
 * (`EvpKDF`) use: D(1) = H(passphrase || salt), D(n) = H(D(n-1) || passphrase || salt), all joined.
 * The key stands first, the IV after it. One round is fast to guess: nobody should choose it anew.
 */
export function evpBytesToKey(
  digest: 'md5' | 'sha256',
  passphrase: Uint8Array,
  salt: Uint8Array,
  size: number,
): Uint8Array {
  const chunks: Uint8Array[] = [];
  let last: Uint8Array = new Uint8Array(0);
  for (let produced = 0; produced < size; produced += last.length) {
    last = createHash(digest).update(last).update(passphrase).update(salt).digest();
    chunks.push(last);
  }
  return Buffer.concat(chunks).subarray(0, size);
}
