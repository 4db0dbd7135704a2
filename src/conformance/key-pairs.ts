import type { generateKeyPair } from '../client/key-pair.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';

/** The service's key pairs of a run: few, made once, shared by all checks. */
export interface KeyPairs {
  /** The pair that every request carries unless its check is about key pairs. */
  readonly usual: () => Promise<RsaPrivateKey>;
  /** A second one of the same size. */
  readonly second: () => Promise<RsaPrivateKey>;
  readonly large: (bits: 3072 | 4096) => Promise<RsaPrivateKey>;
  /** Begins to make the large pairs, so that they are there when they are needed. */
  readonly prepareLarge: () => void;
}

/** The large pairs have primes of 1024 bits: two of 2048 would take several seconds to find. */
const primesOf = { 2048: 2, 3072: 3, 4096: 4 } as const;

/** Key pairs made by `generate`, each when it is first asked for, and once. */
export function createKeyPairs(generate: typeof generateKeyPair): KeyPairs {
  const made = new Map<string, Promise<RsaPrivateKey>>();
  const once = (name: string, bits: 2048 | 3072 | 4096): Promise<RsaPrivateKey> => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const pair = generate(bits, primesOf[bits]);
    // Whoever awaits it sees the failure; one that nobody awaits any more is no matter.
    pair.catch(() => {});
    made.set(name, pair);
    return pair;
  };
  const large = (bits: 3072 | 4096) => once(`large ${bits}`, bits);
  return {
    usual: () => once('usual', 2048),
    second: () => once('second', 2048),
    large,
    prepareLarge: () => {
      void large(3072);
      void large(4096);
    },
  };
}
