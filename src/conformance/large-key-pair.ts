import { createPrivateKey, generatePrime, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeHex } from '../bytes.ts';
import { writeDer, writeDerInteger } from '../crypto/der.ts';
import { type RsaPrivateKey, toRsaPrivateKey } from '../crypto/rsa-key.ts';

const primeBits = 1024;
const publicExponent = 65537n;
const drawPrime = promisify(
  (size: number, callback: (error: Error | null, prime: bigint) => void) =>
    generatePrime(size, { bigint: true }, callback),
);

/**
 * Makes a large key pair for one run, of several primes of 1024 bits (multi-prime RSA, RFC 8017
 * 3.2): a tenth of the time that two large primes take, which would be several seconds for 4096
 * bits. The public key looks like any other. Fit for throw-away test keys only.
 */
export async function generateLargeKeyPair(bits: 3072 | 4096): Promise<RsaPrivateKey> {
  for (;;) {
    const primes = await Promise.all(
      Array.from({ length: bits / primeBits }, () => drawPrime(primeBits)),
    );
    const keyObject = toKeyObject(primes, bits);
    if (keyObject !== undefined) return toRsaPrivateKey(keyObject);
  }
}

/** RSAPrivateKey of version 1, "multi" (RFC 8017 A.1.2); undefined where the primes don't make a key of that size. */
function toKeyObject(primes: readonly bigint[], bits: number): KeyObject | undefined {
  const [p = 0n, q = 0n, ...others] = primes;
  const modulus = primes.reduce((product, prime) => product * prime, 1n);
  const order = primes.reduce((product, prime) => product * (prime - 1n), 1n);
  const isUsable = new Set(primes).size === primes.length && order % publicExponent !== 0n;
  if (!isUsable || modulus.toString(2).length !== bits) return undefined;
  const d = invert(publicExponent, order);
  const numbers = [1n, modulus, publicExponent, d, p, q, d % (p - 1n), d % (q - 1n), invert(q, p)];
  let before = p * q;
  const infos = others.map((prime) => {
    const info = sequence([prime, d % (prime - 1n), invert(before, prime)].map(integer));
    before *= prime;
    return info;
  });
  const der = sequence([...numbers.map(integer), sequence(infos)]);
  return createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs1' });
}

function sequence(parts: readonly Uint8Array[]): Uint8Array {
  return writeDer(0x30, ...parts);
}

function integer(value: bigint): Uint8Array {
  const digits = value.toString(16);
  const padded = digits.padStart(digits.length + (digits.length % 2), '0');
  return writeDerInteger(decodeHex(padded) ?? new Uint8Array());
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
