import { writeFileSync } from 'node:fs';
import { generateKeyPair, type KeyBits } from '../../src/client/key-pair.ts';

/** How many pairs of each kind the tests of one process may take before they make their own. */
const kinds: readonly (readonly [bits: KeyBits, primes: 2 | 3 | 4, count: number])[] = [
  [2048, 2, 12],
  [2048, 4, 8],
  [3072, 3, 2],
  [4096, 4, 2],
];

/** Makes the RSA key pairs that the tests of a run share (test/support/key-pairs.ts). */
export async function writeKeyPairs(file: string): Promise<void> {
  const pairs: Record<string, readonly string[]> = {};
  for (const [bits, primes, count] of kinds) {
    const made = Array.from({ length: count }, () => generateKeyPair(bits, primes));
    pairs[`${bits} ${primes}`] = (await Promise.all(made)).map(({ keyObject }) =>
      keyObject.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
    );
  }
  writeFileSync(file, JSON.stringify(pairs), { mode: 0o600 });
}
