import type { AlgorithmName, Cipher, IvLength, Padding } from './cipher.ts';
import { ivLengths, paddings } from './cipher.ts';

/** The modes of operation: ECB, CBC, CFB (CFB128) and CTR of NIST SP 800-38A, GCM of SP 800-38D. */
export type Mode = 'cbc' | 'ecb' | 'ctr' | 'cfb' | 'gcm';

/** What an algorithm needs; sizes in bytes. */
export interface Algorithm {
  readonly name: AlgorithmName;
  readonly mode: Mode;
  readonly keyBytes: number;
  readonly blockBytes: number;
  /** The IV lengths it takes, the usual one first; none in ECB. */
  readonly ivBytes: readonly number[];
  /** The authentication tag's length; 0 where there is none. */
  readonly tagBytes: number;
  /** The paddings it takes, the usual one first; none in GCM. */
  readonly paddings: readonly Padding[];
}

/** A shorter tag is easier to forge (SP 800-38D 5.2.1.2), so no other length is taken. */
const gcmTagBytes = 16;

/** The table of all algorithms, by family, key length and mode. */
export const algorithms: readonly Algorithm[] = [
  ...(['aes', 'aria'] as const).flatMap((family) =>
    ([256, 192, 128] as const).flatMap((bits) =>
      (['cbc', 'ecb', 'ctr', 'cfb', 'gcm'] as const).map((mode) =>
        algorithm(`${family}-${bits}-${mode}`, mode, bits / 8, 16),
      ),
    ),
  ),
  algorithm('des-ede3-cbc', 'cbc', 24, 8),
];

const byName = new Map<string, Algorithm>(algorithms.map((entry) => [entry.name, entry]));

/** The algorithm of that name (small letters); undefined for a name that isn't in the table. */
export function findAlgorithm(name: string): Algorithm | undefined {
  return byName.get(name);
}

/** The algorithm of a cipher. */
export function algorithmOf(cipher: Cipher): Algorithm {
  const found = byName.get(cipher.algorithm);
  if (found === undefined) throw new TypeError(`no such algorithm: ${cipher.algorithm}`);
  return found;
}

/** The length of the cipher's IV in bytes: 0 in ECB, the chosen one in GCM. */
export function ivBytesOf(cipher: Cipher): number {
  return cipher.ivlen ?? algorithmOf(cipher).ivBytes[0] ?? 0;
}

/** Whether ciphertext and plaintext are whole blocks (ECB, CBC). */
export function isBlockMode(mode: Mode): boolean {
  return mode === 'cbc' || mode === 'ecb';
}

function algorithm(
  name: AlgorithmName,
  mode: Mode,
  keyBytes: number,
  blockBytes: number,
): Algorithm {
  const tagBytes = mode === 'gcm' ? gcmTagBytes : 0;
  return {
    name,
    mode,
    keyBytes,
    blockBytes,
    ivBytes: ivBytes(mode, blockBytes),
    tagBytes,
    paddings: paddingsOf(mode),
  };
}

function ivBytes(mode: Mode, blockBytes: number): readonly (number | IvLength)[] {
  if (mode === 'gcm') return ivLengths;
  return mode === 'ecb' ? [] : [blockBytes];
}

function paddingsOf(mode: Mode): readonly Padding[] {
  if (mode === 'gcm') return [];
  return isBlockMode(mode) ? paddings : ['none', 'pkcs7'];
}
