import { generateKeyPair as generate, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type RsaPrivateKey, toRsaPrivateKey } from '../crypto/rsa-key.ts';

const generateOnThreadPool = promisify(generate);

/**
 * Makes an RSA key pair of `bits` bits with the public exponent 65537 (FIPS 186-5 A.1.1), on the
 * thread pool: 50 to 130 ms for 2048 bits, during which other work goes on.
 */
export async function generateKeyPair(bits: 2048 | 3072 | 4096 = 2048): Promise<RsaPrivateKey> {
  const pair: { privateKey: KeyObject } = await generateOnThreadPool('rsa', {
    modulusLength: bits,
    publicExponent: 65537,
  });
  return toRsaPrivateKey(pair.privateKey);
}
