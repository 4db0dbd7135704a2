import { createPublicKey, type KeyObject } from 'node:crypto';
import { encodeBase64, encodeHex } from '../bytes.ts';
import { fingerprintOfBytes } from './secret.ts';

/** An RSA public key (n, e), RFC 8017 3.1, parsed once. */
export interface RsaPublicKey {
  readonly keyObject: KeyObject;
  readonly modulusBits: number;
  /** k, the length of the modulus in octets: a ciphertext has exactly as many. */
  readonly modulusBytes: number;
  readonly publicExponent: bigint;
  /** n, big-endian, `modulusBytes` long. */
  readonly modulus: Uint8Array;
  /** The SubjectPublicKeyInfo (RFC 5280 4.1.2.7) in DER. */
  readonly spki: Uint8Array;
  /** `sha256:` and 12 hexadecimal digits, of `spki`. */
  readonly fingerprint: string;
}

/** An RSA private key with its public half, RFC 8017 3.2, parsed once. */
export interface RsaPrivateKey
  extends Pick<RsaPublicKey, 'keyObject' | 'modulusBits' | 'modulusBytes'> {
  readonly publicKey: RsaPublicKey;
}

/** The two numbers of an RSA public key; the modulus big-endian. */
export interface RsaNumbers {
  readonly modulus: Uint8Array;
  readonly publicExponent: bigint;
}

/**
 * The public key of a KeyObject, also of a private one.
 * Throws TypeError for a key that isn't of type `rsa`: the caller's own mistake.
 */
export function toRsaPublicKey(keyObject: KeyObject): RsaPublicKey {
  if (keyObject.asymmetricKeyType !== 'rsa') throw new TypeError('not an RSA key');
  const publicKey = keyObject.type === 'private' ? createPublicKey(keyObject) : keyObject;
  const { modulus, publicExponent } = rsaNumbersOf(publicKey);
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return {
    keyObject: publicKey,
    modulusBits: publicKey.asymmetricKeyDetails?.modulusLength ?? 0,
    modulusBytes: modulus.length,
    publicExponent,
    modulus,
    spki,
    fingerprint: fingerprintOfBytes(spki),
  };
}

export function rsaNumbersOf(key: KeyObject): RsaNumbers {
  const modulus = Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url');
  return { modulus, publicExponent: key.asymmetricKeyDetails?.publicExponent ?? 0n };
}

/** The private key of a KeyObject, such as `generateKeyPair` gives; TypeError as above. */
export function toRsaPrivateKey(keyObject: KeyObject): RsaPrivateKey {
  if (keyObject.type !== 'private') throw new TypeError('not a private key');
  const publicKey = toRsaPublicKey(keyObject);
  const { modulusBits, modulusBytes } = publicKey;
  return { keyObject, modulusBits, modulusBytes, publicKey };
}

/** Base64 of the SubjectPublicKeyInfo: what the interface sends as `public_key` (2.2). */
export function exportPublicKey(key: RsaPublicKey): string {
  return encodeBase64(key.spki);
}

/** PKCS #8 (RFC 5958), unencrypted, as PEM with a line end: a secret. */
export function exportPrivateKey(key: RsaPrivateKey): string {
  return key.keyObject.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The number that big-endian bytes encode, OS2IP of RFC 8017 4.2. */
export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${encodeHex(bytes)}`);
}
