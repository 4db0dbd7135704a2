import { checkPrime } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { KeyBits } from '../../src/client/key-pair.ts';
import { createMultiPrimeKey } from '../../src/crypto/multi-prime-key.ts';
import { seededBytes } from '../../test/support/seeded-bytes.ts';

/** How many pairs of each kind the tests of one process may take before they make their own. */
const kinds: readonly (readonly [bits: KeyBits, primes: 2 | 3 | 4, count: number])[] = [
  [2048, 2, 12],
  [2048, 4, 8],
  [3072, 3, 2],
  [4096, 4, 2],
];

/**
 * Makes the RSA key pairs that the tests of a run share (test/support/key-pairs.ts). They are the same
 * in every run: what is encrypted for one of them looks well padded under another once in 100,000.
 */
export async function writeKeyPairs(file: string): Promise<void> {
  const pairs: Record<string, readonly string[]> = {};
  for (const [bits, primes, count] of kinds) {
    const made = Array.from({ length: count }, (_, index) => keyPairOf(bits, primes, index));
    pairs[`${bits} ${primes}`] = await Promise.all(made);
  }
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(pairs), { mode: 0o600 });
  renameSync(temporary, file);
}

async function keyPairOf(bits: number, primes: number, index: number): Promise<string> {
  const draw = seededBytes(`key pair ${bits} ${primes} ${index}`);
  const starts = Array.from({ length: primes }, () => draw(bits / primes / 8));
  const key = createMultiPrimeKey(await Promise.all(starts.map(primeFrom)), bits);
  if (key === undefined) throw new TypeError(`no key pair ${index} of ${bits} bits`);
  return key.keyObject.export({ type: 'pkcs1', format: 'der' }).toString('base64');
}

const isPrime = promisify(checkPrime);

/** The first prime after the drawn number with its highest bits set, so that a product of four is not shorter. */
async function primeFrom(drawn: Buffer): Promise<bigint> {
  let candidate = BigInt(`0xf${drawn.toString('hex').slice(1)}`) | 1n;
  while (!(await isPrime(candidate))) candidate += 2n;
  return candidate;
}
