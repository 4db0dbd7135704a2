import { generateKeyPair as generate, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type RsaPrivateKey, toRsaPrivateKey } from '../crypto/rsa-key.ts';

/** How large a modulus may be asked for. */
export type KeyBits = 2048 | 3072 | 4096;

const generateOnThreadPool = promisify(generate);

/**
 * Makes an RSA key pair of `bits` bits with the public exponent 65537 (FIPS 186-5 A.1.1), on the
 * thread pool: 50 to 130 ms for 2048 bits, during which other work goes on. More than two `primes`
 * only for throw-away test keys, as `generateMultiPrimeKeyPair` says.
 */
export async function generateKeyPair(
  bits: KeyBits = 2048,
  primes: 2 | 3 | 4 = 2,
): Promise<RsaPrivateKey> {
  if (primes !== 2) {
    const { generateMultiPrimeKeyPair } = await import('../crypto/multi-prime-key-pair.ts');
    return generateMultiPrimeKeyPair(bits, primes);
  }
  const pair: { privateKey: KeyObject } = await generateOnThreadPool('rsa', {
    modulusLength: bits,
    publicExponent: 65537,
  });
  return toRsaPrivateKey(pair.privateKey);
}
