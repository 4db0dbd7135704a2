import { generateKeyPair as generate, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type RsaPrivateKey, type RsaPublicKey, toRsaPrivateKey } from '../crypto/rsa-key.ts';

/** How large a modulus may be requested. */
export type KeyBits = 2048 | 3072 | 4096;

const generateOnThreadPool = promisify(generate);
/**
 * Makes an RSA key pair of `bits` bits with the public exponent 65537 (FIPS 186-5 A.1.1), on the
 * thread pool.
 */
export async function generateKeyPair(bits: KeyBits = 2048): Promise<RsaPrivateKey> {
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
