import { generateKeyPair as generate, generatePrime, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type RsaPrivateKey, type RsaPublicKey, toRsaPrivateKey } from '../crypto/rsa-key.ts';

/** How large a modulus may be requested. */
export type KeyBits = 2048 | 3072 | 4096;

const generateOnThreadPool = promisify(generate);
const drawPrime = promisify(
  (size: number, callback: (error: Error | null, prime: bigint) => void) =>
    generatePrime(size, { bigint: true }, callback),
);

/**
 * Makes an RSA key pair of `bits` bits with the public exponent 65537 (FIPS 186-5 A.1.1), on the
 * thread pool. More than two `primes` only for throw-away test keys, as `createMultiPrimeKey` says.
 */
export async function generateKeyPair(
  bits: KeyBits = 2048,
  primes: 2 | 3 | 4 = 2,
): Promise<RsaPrivateKey> {
  if (primes !== 2) return drawMultiPrimeKey(bits, primes);
  return generateKeyPairLike({ modulusBits: bits, publicExponent: 65537n });
}

/** Makes a key pair of the size and exponent of another; rejects with OpenSSL's error for what it can't make. */
export async function generateKeyPairLike({
  modulusBits,
  publicExponent,
}: Pick<RsaPublicKey, 'modulusBits' | 'publicExponent'>): Promise<RsaPrivateKey> {
  const pair: { privateKey: KeyObject } = await generateOnThreadPool('rsa', {
    modulusLength: modulusBits,
    publicExponent: Number(publicExponent),
  });
  return toRsaPrivateKey(pair.privateKey);
}

/** Draws primes of equal size until they make a key; `bits` is a multiple of `primes`. */
async function drawMultiPrimeKey(bits: number, primes: 3 | 4): Promise<RsaPrivateKey> {
  const { createMultiPrimeKey } = await import('../crypto/multi-prime-key.ts');
  for (;;) {
    const drawn = await Promise.all(Array.from({ length: primes }, () => drawPrime(bits / primes)));
    const key = createMultiPrimeKey(drawn, bits);
    if (key !== undefined) return key;
  }
}
