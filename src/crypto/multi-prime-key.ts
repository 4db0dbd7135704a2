import { createPrivateKey } from 'node:crypto';
import { derTags, writeDer, writeDerInteger } from './der.ts';
import { type RsaPrivateKey, toRsaPrivateKey, unsignedBytes } from './rsa-key.ts';

const publicExponent = 65537n;

/**
 * The RSA private key of two primes or of several (multi-prime RSA, RFC 8017 3.2): an RSAPrivateKey of
 * version 0 or 1, "multi" (A.1.2). Undefined if the primes don't make a key of `bits` bits. Only for
 * throw-away test keys: not every library reads one of several primes.
 */
export function createMultiPrimeKey(
  primes: readonly bigint[],
  bits: number,
): RsaPrivateKey | undefined {
  const [p = 0n, q = 0n, ...others] = primes;
  const modulus = primes.reduce((product, prime) => product * prime, 1n);
  const order = primes.reduce((product, prime) => product * (prime - 1n), 1n);
  const isUsable = new Set(primes).size === primes.length && order % publicExponent !== 0n;
  if (!isUsable || modulus.toString(2).length !== bits) return undefined;
  const d = invert(publicExponent, order);
  const version = others.length === 0 ? 0n : 1n;
  const numbers = [
    version,
    modulus,
    publicExponent,
    d,
    p,
    q,
    d % (p - 1n),
    d % (q - 1n),
    invert(q, p),
  ];
  let before = p * q;
  const infos = others.map((prime) => {
    const info = sequence([prime, d % (prime - 1n), invert(before, prime)].map(integer));
    before *= prime;
    return info;
  });
  const der = sequence([...numbers.map(integer), ...(version === 0n ? [] : [sequence(infos)])]);
  return toRsaPrivateKey(createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs1' }));
}

function sequence(parts: readonly Uint8Array[]): Uint8Array {
  return writeDer(derTags.sequence, ...parts);
}

function integer(value: bigint): Uint8Array {
  return writeDerInteger(unsignedBytes(value));
}

/** The inverse of `value` modulo `modulus`, by the extended Euclidean algorithm. */
function invert(value: bigint, modulus: bigint): bigint {
  let [old, current] = [value % modulus, modulus];
  let [factor, next] = [1n, 0n];
  while (current !== 0n) {
    const quotient = old / current;
    [old, current] = [current, old - quotient * current];
    [factor, next] = [next, factor - quotient * next];
  }
  return ((factor % modulus) + modulus) % modulus;
}
