import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { decodeHex, encodeBase64, encodeHex } from '../bytes.ts';
import { derTags, writeDer, writeDerInteger } from './der.ts';
import { fingerprintOfBytes } from './fingerprint.ts';

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
export interface RsaPrivateKey {
  readonly keyObject: KeyObject;
  readonly modulusBits: number;
  readonly modulusBytes: number;
  readonly publicKey: RsaPublicKey;
}

/** The two numbers of an RSA public key; the modulus big-endian, leading zeros allowed. */
export interface RsaNumbers {
  readonly modulus: Uint8Array;
  readonly publicExponent: bigint;
}

/** AlgorithmIdentifier of rsaEncryption, 1.2.840.113549.1.1.1, with its NULL (RFC 3279 2.3.1). */
export const rsaEncryption = Buffer.from('300d06092a864886f70d0101010500', 'hex');

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

/**
 * The key of these numbers, which the caller has found usable. What of it is asked for by few, such
 * as whoever opens a key and wraps none, is made when it is asked for.
 */
export function createRsaPublicKey(numbers: RsaNumbers): RsaPublicKey {
  const modulus = withoutLeadingZeros(numbers.modulus);
  let spki: Uint8Array | undefined;
  let keyObject: KeyObject | undefined;
  let fingerprint: string | undefined;
  return {
    modulusBits: bitLength(modulus),
    modulusBytes: modulus.length,
    publicExponent: numbers.publicExponent,
    modulus,
    get spki() {
      spki ??= encodeSpki(numbers);
      return spki;
    },
    get keyObject() {
      keyObject ??= createPublicKey({ key: Buffer.from(this.spki), format: 'der', type: 'spki' });
      return keyObject;
    },
    get fingerprint() {
      fingerprint ??= fingerprintOfBytes(this.spki);
      return fingerprint;
    },
  };
}

/**
 * The private key of these numbers, which the caller has found usable, by its RSAPrivateKey in DER
 * (RFC 8017 A.1.2). Throws OpenSSL's error for one that OpenSSL refuses.
 */
export function createRsaPrivateKey(numbers: RsaNumbers, pkcs1: Uint8Array): RsaPrivateKey {
  const publicKey = createRsaPublicKey(numbers);
  const { modulusBits, modulusBytes } = publicKey;
  const keyObject = createPrivateKey({ key: Buffer.from(pkcs1), format: 'der', type: 'pkcs1' });
  return { keyObject, modulusBits, modulusBytes, publicKey };
}

/**
 * The public key of a KeyObject, of its private half too.
 * Throws TypeError for a key that isn't of type `rsa`: the caller's own mistake.
 */
export function toRsaPublicKey(keyObject: KeyObject): RsaPublicKey {
  if (keyObject.asymmetricKeyType !== 'rsa') throw new TypeError('not an RSA key');
  const publicHalf = keyObject.type === 'private' ? createPublicKey(keyObject) : keyObject;
  const { n = '', e = '' } = publicHalf.export({ format: 'jwk' });
  return createRsaPublicKey({
    modulus: Buffer.from(n, 'base64url'),
    publicExponent: toBigInt(Buffer.from(e, 'base64url')),
  });
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

/** The number that big-endian bytes stand for, OS2IP of RFC 8017 4.2. */
export function toBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${encodeHex(bytes)}`);
}

/** How many bits the big-endian number has, leading zeros not counted. */
export function bitLength(bytes: Uint8Array): number {
  const significant = withoutLeadingZeros(bytes);
  const [first = 0] = significant;
  return first === 0 ? 0 : 32 - Math.clz32(first) + (significant.length - 1) * 8;
}

/** The big-endian number in as few bytes as it needs. */
export function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  const firstSet = bytes.findIndex((octet) => octet !== 0);
  return firstSet < 0 ? new Uint8Array() : bytes.subarray(firstSet);
}

function unsignedBytes(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return decodeHex(digits.padStart(digits.length + (digits.length % 2), '0')) ?? new Uint8Array();
}
