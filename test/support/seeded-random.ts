import { createHash } from 'node:crypto';

/** Randomness that repeats: the same seed gives the same draws, so that a failure can be inspected. */
export interface SeededRandom {
  readonly bytes: (size: number) => Uint8Array;
  /** A whole number from 0 to `limit` - 1; the bias of a limit below 2^16 is under one in 2^32. */
  readonly below: (limit: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** That many characters of the alphabet. */
  readonly text: (alphabet: string, length: number) => string;
}

export function seededRandom(seed: string): SeededRandom {
  let calls = 0;
  const bytes = (size: number): Uint8Array =>
    createHash('shake256', { outputLength: Math.max(size, 1) })
      .update(`${seed} ${calls++}`)
      .digest()
      .subarray(0, size);
  const below = (limit: number): number => Buffer.from(bytes(6)).readUIntBE(0, 6) % limit;
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[below(items.length)];
    if (item === undefined) throw new TypeError('nothing to pick from');
    return item;
  };
  const text = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[below(alphabet.length)]).join('');
  return { bytes, below, pick, text };
}
