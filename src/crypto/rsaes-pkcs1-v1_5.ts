import { constants, privateDecrypt, publicEncrypt } from 'node:crypto';
import { encodeBase64, encodeUtf8, type RandomBytes } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import type { RsaPrivateKey, RsaPublicKey } from './rsa-key.ts';

/**
 * RSAES-PKCS1-v1_5 (RFC 8017 7.2), as the interface uses it for `enc_partner_key` (2.2).
 *
 * The raw primitives are Node's; the encoding is our own, because Node's own PKCS #1 decryption
 * is refused on Node 20 and gives random bytes instead of an error from 22 on.
 */

/** RSAEP (RFC 8017 5.1.1) of a message representative. Throws RangeError unless it is k octets and below n. */
export function rsaep(publicKey: RsaPublicKey, message: Uint8Array): Uint8Array {
  if (!isRepresentative(publicKey, message)) throw new RangeError('representative out of range');
  return publicEncrypt({ key: publicKey.keyObject, padding: constants.RSA_NO_PADDING }, message);
}

/** RSADP (RFC 8017 5.1.2); undefined where the ciphertext isn't k octets, or not below n: for another key. */
export function rsadp(privateKey: RsaPrivateKey, ciphertext: Uint8Array): Uint8Array | undefined {
  if (!isRepresentative(privateKey.publicKey, ciphertext)) return undefined;
  const key = { key: privateKey.keyObject, padding: constants.RSA_NO_PADDING };
  return privateDecrypt(key, ciphertext);
}

/** RSAES-PKCS1-V1_5-ENCRYPT (RFC 8017 7.2.1). Throws `usage` where the message is too long for the key. */
export function encryptRsaesPkcs1V15(
  publicKey: RsaPublicKey,
  message: Uint8Array,
  randomBytes: RandomBytes,
): Uint8Array {
  return rsaep(publicKey, encodeEmePkcs1V15(message, publicKey.modulusBytes, randomBytes));
}

/** Wraps a per-user key as `enc_partner_key` (2.2). Throws `usage` where it is too long for the RSA key. */
export function wrapKey(
  publicKey: RsaPublicKey,
  perUserKey: string,
  randomBytes: RandomBytes,
): string {
  return encodeBase64(encryptRsaesPkcs1V15(publicKey, encodeUtf8(perUserKey), randomBytes));
}

function isRepresentative(publicKey: RsaPublicKey, octets: Uint8Array): boolean {
  return octets.length === publicKey.modulusBytes && Buffer.compare(octets, publicKey.modulus) < 0;
}

/** Octets of an encoded message that are not message: 0x00, 0x02, eight of PS, 0x00. */
export const emeOverheadBytes = 11;

/**
 * EME-PKCS1-v1_5 (RFC 8017 7.2.1 steps 1 and 2): EM = 0x00 || 0x02 || PS || 0x00 || M of `modulusBytes`
 * octets, PS of at least eight octets, none of them zero.
 * Throws `usage` where the message is longer than `modulusBytes - 11`.
 */
export function encodeEmePkcs1V15(
  message: Uint8Array,
  modulusBytes: number,
  randomBytes: RandomBytes,
): Uint8Array {
  const room = modulusBytes - emeOverheadBytes;
  if (message.length > room) {
    throw new AuthcliError(
      'usage',
      `${message.length} bytes are too long for an RSA key of ${modulusBytes} bytes: with PKCS #1 v1.5 padding it takes ${Math.max(room, 0)} at most`,
    );
  }
  const paddingString = drawNonZero(modulusBytes - message.length - 3, randomBytes);
  return Buffer.concat([Uint8Array.of(0, 2), paddingString, Uint8Array.of(0), message]);
}

/**
 * The message of an encoded message (RFC 8017 7.2.2 step 3); undefined where a step of it fails.
 *
 * DANGER: revealing to a peer that it failed, in words or in time, is the oracle of Bleichenbacher's
 * attack. This is for the tester's own keys.
 */
export function decodeEmePkcs1V15(encodedMessage: Uint8Array): Uint8Array | undefined {
  if (encodedMessage[0] !== 0 || encodedMessage[1] !== 2) return undefined;
  const separator = encodedMessage.indexOf(0, 2);
  // PS has at least eight octets, so the separator is the eleventh octet or a later one
  return separator < 10 ? undefined : encodedMessage.subarray(separator + 1);
}

function drawNonZero(size: number, randomBytes: RandomBytes): Uint8Array {
  const drawn = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const octets = randomBytes(size - filled).filter((octet) => octet !== 0);
    drawn.set(octets.subarray(0, size - filled), filled);
    filled += octets.length;
  }
  return drawn;
}
