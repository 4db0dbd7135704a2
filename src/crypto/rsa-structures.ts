import { type DerElement, derTags, readDerChildren } from './der.ts';
import { type KeyRefusal, type KeyStructure, keyStructure } from './key-structure.ts';
import { toBigInt } from './rsa-key.ts';
import { findUnsoundness } from './rsa-soundness.ts';

const algorithm = { algorithm: 'rsa', algorithmName: 'RSA' } as const;

/** RSAPublicKey (RFC 8017 A.1.1): modulus and exponent. */
export function readRsaPublicKey(root: DerElement): KeyStructure {
  const children = readDerChildren(root) ?? [];
  if (root.tag !== derTags.sequence || children.length !== 2) {
    return keyStructure('public-key', 'PKCS #1', { ...algorithm, refusal: noNumbers });
  }
  return keyStructure('public-key', 'PKCS #1', { ...algorithm, ...readNumbers(children) });
}

/**
 * RSAPrivateKey (RFC 8017 A.1.2): version, modulus, both exponents, the primes and what follows
 * from them. Numbers that don't belong together are refused, because decryption with them fails
 * at random or is silently wrong.
 */
export function readRsaPrivateKey(root: DerElement): KeyStructure {
  const [version, ...numbers] = readDerChildren(root) ?? [];
  if (root.tag !== derTags.sequence || version === undefined || numbers.length < 8) {
    return keyStructure('private-key', 'PKCS #1', { ...algorithm, refusal: noNumbers });
  }
  const read = readNumbers(numbers);
  const isMultiPrime = version.contents[0] === 1;
  const refusal = read.refusal ?? (isMultiPrime ? undefined : findMismatch(numbers));
  return keyStructure('private-key', 'PKCS #1', {
    ...algorithm,
    ...read,
    refusal,
    rsaPrivateKey: root.encoded,
  });
}

/** The judgement on a public key's numbers, wherever they stood. */
export function judgeNumbers(
  modulus: Uint8Array,
  publicExponent: bigint,
): Pick<KeyStructure, 'rsa' | 'refusal'> {
  const rsa = { modulus, publicExponent };
  const unsound = findUnsoundness(rsa);
  return unsound === undefined
    ? { rsa }
    : { rsa, refusal: { code: 'unsound', reason: `it is an RSA key that ${unsound}` } };
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

function findMismatch(numbers: readonly DerElement[]): KeyRefusal | undefined {
  if (numbers.some(({ tag }) => tag !== derTags.integer)) return noNumbers;
  const [n = 0n, e = 0n, d = 0n, p = 0n, q = 0n] = numbers.map(({ contents }) =>
    toBigInt(contents),
  );
  if (p < 2n || q < 2n) return mismatch;
  const belongs = p * q === n && (e * d) % (p - 1n) === 1n && (e * d) % (q - 1n) === 1n;
  return belongs ? undefined : mismatch;
}

const noNumbers: KeyRefusal = {
  code: 'malformed',
  reason: 'its DER is damaged: where the numbers of an RSA key belong stands something else',
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
