import { constants, privateDecrypt, publicEncrypt } from 'node:crypto';
import { decodeBase64Strict, encodeBase64, encodeUtf8, type RandomBytes } from '../bytes.ts';
import { decodeEmePkcs1V15, type EmeFailure, encodeEmePkcs1V15 } from './eme-pkcs1-v1_5.ts';
import type { RsaPrivateKey, RsaPublicKey } from './rsa-key.ts';

/**
 * RSAES-PKCS1-v1_5 (RFC 8017 7.2), as the interface uses it for `enc_partner_key` (2.2).
 *
 * The raw primitives are Node's; the encoding is our own, because Node's own PKCS #1 decryption
 * is refused on Node 20 and answers with random bytes instead of an error from 22 on.
 */

/** Why a wrapped key doesn't open as the interface says: not strict Base64, not k octets, not below n, or the encoding. */
export type UnwrapFailure = 'not-base64' | 'length' | 'out-of-range' | EmeFailure;

export type UnwrapResult =
  | { readonly ok: true; readonly message: Uint8Array }
  | { readonly ok: false; readonly failure: UnwrapFailure };

/**
 * RSAEP (RFC 8017 5.1.1): the message representative, k octets and below the modulus, to the
 * power of e. Throws RangeError otherwise: the caller's own mistake.
 */
export function rsaep(publicKey: RsaPublicKey, message: Uint8Array): Uint8Array {
  if (!isRepresentative(publicKey, message)) throw new RangeError('representative out of range');
  return publicEncrypt({ key: publicKey.keyObject, padding: constants.RSA_NO_PADDING }, message);
}

/**
 * RSADP (RFC 8017 5.1.2): the whole encoded message, k octets; undefined where the ciphertext
 * isn't k octets long or its representative isn't below the modulus (then it was made for another key).
 */
export function rsadp(privateKey: RsaPrivateKey, ciphertext: Uint8Array): Uint8Array | undefined {
  if (!isRepresentative(privateKey.publicKey, ciphertext)) return undefined;
  return privateDecrypt(
    { key: privateKey.keyObject, padding: constants.RSA_NO_PADDING },
    ciphertext,
  );
}

/** RSAES-PKCS1-V1_5-ENCRYPT (RFC 8017 7.2.1). Throws `usage` where the message is too long for the key. */
export function encryptRsaesPkcs1V15(
  publicKey: RsaPublicKey,
  message: Uint8Array,
  randomBytes: RandomBytes,
): Uint8Array {
  return rsaep(publicKey, encodeEmePkcs1V15(message, publicKey.modulusBytes, randomBytes));
}

/** RSAES-PKCS1-V1_5-DECRYPT (RFC 8017 7.2.2) that says which step failed; see the danger in `decodeEmePkcs1V15`. */
export function decryptRsaesPkcs1V15(
  privateKey: RsaPrivateKey,
  ciphertext: Uint8Array,
): UnwrapResult {
  // step 1: a ciphertext of any other length is an error; OpenSSL would pad a short one silently
  if (ciphertext.length !== privateKey.modulusBytes) return { ok: false, failure: 'length' };
  const encodedMessage = rsadp(privateKey, ciphertext);
  if (encodedMessage === undefined) return { ok: false, failure: 'out-of-range' };
  return decodeEmePkcs1V15(encodedMessage);
}

/**
 * Wraps a per-user key as the interface says (2.2): its UTF-8 characters under RSAES-PKCS1-v1_5,
 * the ciphertext in Base64, `enc_partner_key`. Throws `usage` where the key is too long.
 */
export function wrapKey(
  publicKey: RsaPublicKey,
  perUserKey: string,
  randomBytes: RandomBytes,
): string {
  return encodeBase64(encryptRsaesPkcs1V15(publicKey, encodeUtf8(perUserKey), randomBytes));
}

/** Opens an `enc_partner_key` exactly as the interface says (2.2): strict Base64, no white space around. */
export function unwrapKey(privateKey: RsaPrivateKey, encPartnerKey: string): UnwrapResult {
  const ciphertext = decodeBase64Strict(encPartnerKey);
  if (ciphertext === undefined) return { ok: false, failure: 'not-base64' };
  return decryptRsaesPkcs1V15(privateKey, ciphertext);
}

/** Whether the octets are as many as the modulus has and stand for a smaller number. */
function isRepresentative(publicKey: RsaPublicKey, octets: Uint8Array): boolean {
  return octets.length === publicKey.modulusBytes && Buffer.compare(octets, publicKey.modulus) < 0;
}
