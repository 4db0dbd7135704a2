import { createHash } from 'node:crypto';
import type { RandomBytes } from '../bytes.ts';

/**
 * Bytes that follow from a seed, so that a run can be repeated to the letter: SHAKE256 of the seed
 * and the number of the draw. For test data alone; no key of anybody is made of them.
 */
export function seededBytes(seed: string): RandomBytes {
  let draws = 0;
  return (size) => {
    draws += 1;
    if (size === 0) return new Uint8Array();
    const hash = createHash('shake256', { outputLength: size });
    return hash.update(`${seed}\0${draws}`).digest();
  };
}
