import type { RandomBytes } from '../bytes.ts';

const poolBytes = 16_384;

/** The same randomness, drawn in large pieces: a call for a few bytes costs as much as one for many. */
export function pooledRandomBytes(randomBytes: RandomBytes): RandomBytes {
  let pool: Uint8Array = new Uint8Array();
  let at = 0;
  return (size) => {
    if (size > poolBytes / 8) return randomBytes(size);
    if (at + size > pool.length) {
      pool = randomBytes(poolBytes);
      at = 0;
    }
    at += size;
    return pool.subarray(at - size, at);
  };
}
