import { createPublicKey, type KeyObject } from 'node:crypto';
import { decodeHex, encodeBase64, encodeHex } from '../bytes.ts';
import { derTags, writeDer, writeDerInteger } from './der.ts';
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

/** The two numbers of an RSA public key; the modulus big-endian, leading zeros allowed. */
export interface RsaNumbers {
  readonly modulus: Uint8Array;
  readonly publicExponent: bigint;
}

/** AlgorithmIdentifier of rsaEncryption, 1.2.840.113549.1.1.1, with its NULL (RFC 3279 2.3.1). */
const rsaEncryption = Buffer.from('300d06092a864886f70d0101010500', 'hex');

/** The SubjectPublicKeyInfo in DER of an RSA key (RFC 3279 2.3.1, RFC 8017 A.1.1). */
export function encodeSpki({ modulus, publicExponent }: RsaNumbers): Uint8Array {
  const rsaPublicKey = writeDer(
    derTags.sequence,
    writeDerInteger(modulus),
    writeDerInteger(unsignedBytes(publicExponent)),
  );
  const noUnusedBits = Uint8Array.of(0);
  return writeDer(
    derTags.sequence,
    rsaEncryption,
    writeDer(derTags.bitString, noUnusedBits, rsaPublicKey),
  );
}

/** The key of these numbers, which the caller has found usable. Throws OpenSSL's error for one that OpenSSL refuses. */
export function createRsaPublicKey(numbers: RsaNumbers): RsaPublicKey {
  const key = Buffer.from(encodeSpki(numbers));
  return toRsaPublicKey(createPublicKey({ key, format: 'der', type: 'spki' }));
}

/**
 * The public key of a KeyObject, also of a private one.
 * Throws TypeError for a key that isn't of type `rsa`: the caller's own mistake.
 */
export function toRsaPublicKey(keyObject: KeyObject): RsaPublicKey {
  if (keyObject.asymmetricKeyType !== 'rsa') throw new TypeError('not an RSA key');
  const publicKey = keyObject.type === 'private' ? createPublicKey(keyObject) : keyObject;
  const { modulusLength = 0, publicExponent = 0n } = publicKey.asymmetricKeyDetails ?? {};
  const modulus = Buffer.from(publicKey.export({ format: 'jwk' }).n ?? '', 'base64url');
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return {
    keyObject: publicKey,
    modulusBits: modulusLength,
    modulusBytes: modulus.length,
    publicExponent,
    modulus,
    spki,
    fingerprint: fingerprintOfBytes(spki),
  };
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

/** How many bits the big-endian number has, leading zeros not counted. */
export function bitLength(bytes: Uint8Array): number {
  const number = toBigInt(bytes);
  return number === 0n ? 0 : number.toString(2).length;
}

/** The non-negative number in as few big-endian bytes as it needs, I2OSP of RFC 8017 4.1. */
export function unsignedBytes(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return decodeHex(digits.padStart(digits.length + (digits.length % 2), '0')) ?? new Uint8Array();
}
