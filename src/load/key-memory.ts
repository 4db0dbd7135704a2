import { hash } from 'node:crypto';

const ways = 4;

/** How many keys are remembered: enough for a million users with hardly one forgotten. */
const places = 1 << 21;

/**
 * Remembers the per-user keys of a run, whatever its length, in 16 MiB that all threads share: 64
 * bits of each key's SHA-256, in a table of sets of four places. A full set forgets its oldest key,
 * so of the latest million keys some 97 in 100 are known at any time, and the latest of all for
 * certain. Two different random keys count as the same once in 2^64 pairs: for a million users,
 * once in 37 million runs. Nothing of a key can be had back from it.
 */
export class KeyMemory {
  readonly #places: BigUint64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#places = new BigUint64Array(memory);
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(places * BigUint64Array.BYTES_PER_ELEMENT);
  }

  /** Remembers a key; whether it was known. */
  meet(key: string): boolean {
    const digest = hash('sha256', key, 'buffer');
    const mark = digest.readBigUInt64LE() | 1n; // never that of an empty place
    const first = (digest.readUInt32LE(8) % (places / ways)) * ways;
    const known = this.#places;
    for (let at = first; at < first + ways; at += 1) if (known[at] === mark) return true;
    for (let at = first + ways - 1; at > first; at -= 1) known[at] = known[at - 1] ?? 0n;
    known[first] = mark;
    return false;
  }
}
