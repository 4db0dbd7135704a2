import { createPrivateKey, type JsonWebKeyInput, type PrivateKeyInput } from 'node:crypto';
import { shorten } from '../text.ts';
import { type DerElement, derTags, isShortestInteger, readDerChildren } from './der.ts';
import { type KeyRefusal, type KeyStructure, keyStructure, rsa } from './key-structure.ts';
import { perUserKeyLength } from './per-user-key.ts';
import { bitLength, type RsaNumbers, toBigInt } from './rsa-key.ts';
import { emeOverheadBytes } from './rsaes-pkcs1-v1_5.ts';

/** RSAPublicKey (RFC 8017 A.1.1): modulus and exponent. */
export function readRsaPublicKey(root: DerElement): KeyStructure {
  const children = readDerChildren(root) ?? [];
  if (root.tag !== derTags.sequence || children.length !== 2) {
    return keyStructure('public-key', 'PKCS #1', { ...rsa, refusal: noNumbers });
  }
  const notes = noteIntegers(children);
  return keyStructure('public-key', 'PKCS #1', { ...rsa, ...readNumbers(children), notes });
}

/** RSAPrivateKey (RFC 8017 A.1.2): version, modulus, both exponents, the primes and what follows from them. */
export function readRsaPrivateKey(root: DerElement): KeyStructure {
  const [version, ...numbers] = readDerChildren(root) ?? [];
  if (root.tag !== derTags.sequence || version === undefined || numbers.length < 8) {
    return keyStructure('private-key', 'PKCS #1', { ...rsa, refusal: noNumbers });
  }
  const input = { key: Buffer.from(root.encoded), format: 'der', type: 'pkcs1' } as const;
  const judged = judgePrivateKey(
    input,
    readNumbers(numbers),
    numbers.slice(0, 5).map(({ contents }) => contents),
  );
  const notes = noteIntegers(numbers);
  return keyStructure('private-key', 'PKCS #1', { ...rsa, ...judged, notes });
}

/**
 * The private key, if OpenSSL takes it and its numbers (n, e, d, p, q) belong together, which OpenSSL
 * checks only in the releases of Node 26: decryption with others fails at random or is silently wrong.
 */
export function judgePrivateKey(
  input: PrivateKeyInput | JsonWebKeyInput,
  judged: Pick<KeyStructure, 'rsa' | 'refusal'>,
  numbers: readonly Uint8Array[],
): Pick<KeyStructure, 'rsa' | 'refusal' | 'privateKey'> {
  const refusal = judged.refusal ?? findMismatch(numbers);
  try {
    return { ...judged, refusal, privateKey: createPrivateKey(input) };
  } catch {
    return { ...judged, refusal: refusal ?? refusedByOpenSsl };
  }
}

/** The numbers of a public key, refused if they are unsound. */
export function judgeNumbers(
  modulus: Uint8Array,
  publicExponent: bigint,
): Pick<KeyStructure, 'rsa' | 'refusal'> {
  const numbers = { modulus, publicExponent };
  const unsound = findUnsoundness(numbers);
  if (unsound === undefined) return { rsa: numbers };
  const reason = `it is an RSA key that ${unsound}`;
  return { rsa: numbers, refusal: { code: 'unsound', reason } };
}

function readNumbers([modulus, exponent]: readonly DerElement[]): Pick<
  KeyStructure,
  'rsa' | 'refusal'
> {
  if (modulus?.tag !== derTags.integer || exponent?.tag !== derTags.integer) {
    return { refusal: noNumbers };
  }
  const judged = judgeNumbers(modulus.contents, toBigInt(exponent.contents));
  // X.690 8.3.3: the first bit is the sign
  const negative = [modulus, exponent].some(({ contents }) => (contents[0] ?? 0) >= 0x80);
  return negative ? { ...judged, refusal: negativeNumber } : judged;
}

function noteIntegers(integers: readonly DerElement[]): readonly string[] {
  return integers.every(isShortestInteger) ? [] : [paddedInteger];
}

const paddedInteger =
  "an integer in it begins with more zero octets than DER allows (X.690 8.3.2): lenient readers such as OpenSSL and Java overlook that, strict ones such as Go and Python's cryptography refuse it";

function findMismatch(numbers: readonly Uint8Array[]): KeyRefusal | undefined {
  if (numbers.some(({ length }) => length > largestModulusBits / 8 + 1)) return mismatch;
  const [n = 0n, e = 0n, d = 0n, p = 0n, q = 0n] = numbers.map(toBigInt);
  if (p < 2n || q < 2n) return mismatch;
  // RFC 8017 3.2: n may have further primes, and e * d is 1 modulo each prime less one
  const belongs = n % (p * q) === 0n && (e * d) % (p - 1n) === 1n && (e * d) % (q - 1n) === 1n;
  return belongs ? undefined : mismatch;
}

export const refusedByOpenSsl: KeyRefusal = {
  code: 'malformed',
  reason: 'it is damaged: OpenSSL refuses it',
};

const noNumbers: KeyRefusal = {
  code: 'malformed',
  reason: 'its DER is damaged: it has something else where the numbers of an RSA key belong',
};

const negativeNumber: KeyRefusal = {
  code: 'malformed',
  reason:
    "its modulus or exponent is negative: the zero octet before it is missing; lenient readers such as OpenSSL overlook that, strict ones such as Python's cryptography refuse it",
};

const mismatch: KeyRefusal = {
  code: 'malformed',
  reason: 'it is damaged: the numbers of the private key do not belong together',
};

/** Twice what the largest keys in use have: the time that a key takes grows with the cube of its size, to make one with the fourth power. */
const largestModulusBits = 8192;
/** OpenSSL's own limit of the exponent of a large modulus. */
const smallExponentModulusBits = 3072;
const largestExponent = 1n << 64n;

/** SP 800-89 5.3.3: a modulus has no factor below 752. */
const smallestAllowedFactor = 752n;

/**
 * Why no application should wrap a per-user key with this RSA key, as the end of a sentence that
 * begins with "it"; undefined for a key that will do. An exponent of 3 and 1024 bits will do.
 */
export function findUnsoundness({ modulus, publicExponent }: RsaNumbers): string | undefined {
  if (publicExponent === 1n) return 'has the exponent 1, so that the ciphertext is the plaintext';
  // RFC 8017 3.1: e is coprime to lambda(n), which is even
  if (publicExponent % 2n === 0n) {
    return `has the even exponent ${shorten(publicExponent.toString(), 21)}, which no RSA key can have`;
  }
  if (publicExponent > largestExponent && bitLength(modulus) > smallExponentModulusBits) {
    return 'has an exponent of more than 64 bits with a modulus of more than 3072, which OpenSSL and all that builds on it refuses';
  }
  const isLarger = publicExponent >= toBigInt(modulus);
  return (
    modulusFault(modulus) ?? (isLarger ? 'has an exponent larger than its modulus' : undefined)
  );
}

function modulusFault(modulus: Uint8Array): string | undefined {
  const bits = bitLength(modulus);
  const room = Math.ceil(bits / 8) - emeOverheadBytes;
  if (((modulus.at(-1) ?? 0) & 1) === 0) return 'has an even modulus, which no RSA key can have';
  if (room < perUserKeyLength) {
    return `has a modulus of ${bits} bits, too short for a key of ${perUserKeyLength} characters: PKCS #1 v1.5 padding leaves space for ${Math.max(room, 0)}`;
  }
  if (bits > largestModulusBits) {
    return `has a modulus of ${bits} bits; more than ${largestModulusBits} can't be used`;
  }
  const factor = smallFactorOf(toBigInt(modulus));
  if (factor === undefined) return undefined;
  return `has a modulus divisible by ${factor}: it is damaged or made up`;
}

/** The smallest factor of an odd number, if it is that small. */
function smallFactorOf(number: bigint): bigint | undefined {
  for (let factor = 3n; factor < smallestAllowedFactor; factor += 2n) {
    if (number % factor === 0n) return factor;
  }
  return undefined;
}
