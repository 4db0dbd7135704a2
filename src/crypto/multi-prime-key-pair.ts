import { createPrivateKey, generatePrime, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeHex } from '../bytes.ts';
import { writeDer, writeDerInteger } from './der.ts';
import { type RsaPrivateKey, toRsaPrivateKey } from './rsa-key.ts';

const publicExponent = 65537n;
const drawPrime = promisify(
  (size: number, callback: (error: Error | null, prime: bigint) => void) =>
    generatePrime(size, { bigint: true }, callback),
);

/**
 * Makes an RSA key pair of several primes of equal size (multi-prime RSA, RFC 8017 3.2), on the
 * thread pool. The public key looks like any other and wrapping with it is as much work;
 * `bits` is a multiple of `primes`. Fit for throw-away test keys only: not every library opens such
 * a private key.
 */
export async function generateMultiPrimeKeyPair(
  bits: number,
  primes: 3 | 4,
): Promise<RsaPrivateKey> {
  for (;;) {
    const drawn = await Promise.all(Array.from({ length: primes }, () => drawPrime(bits / primes)));
    const keyObject = toKeyObject(drawn, bits);
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
