import type { RandomBytes } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';

/** How many characters a per-user key has (2.2). */
export const perUserKeyLength = 32;

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const longestKey = 4096;

interface PerUserKeyOptions {
  /** In Unicode code points; 32 by default. */
  readonly length?: number;
  /** The characters to draw from, each code point once; A-Z, a-z and 0-9 by default. */
  readonly alphabet?: string;
}

/**
 * Draws a per-user key (2.2), every character of the alphabet equally likely at every place.
 * Throws `usage` for a length that isn't a whole number from 1 to 4096, and for an alphabet of
 * fewer than two characters or with one twice.
 */
export function generatePerUserKey(
  randomBytes: RandomBytes,
  { length = perUserKeyLength, alphabet = lettersAndDigits }: PerUserKeyOptions = {},
): string {
  const characters = readAlphabet(alphabet);
  if (!Number.isInteger(length) || length < 1 || length > longestKey) {
    throw new AuthcliError(
      'usage',
      `A key of ${length} characters can't be made: the length is a whole number from 1 to ${longestKey}`,
    );
  }
  return drawIndices(length, characters.length, randomBytes)
    .map((index) => characters[index])
    .join('');
}

/** How many characters a text has, as the interface counts them here: Unicode code points. */
export function countCharacters(text: string): number {
  return [...text].length;
}

function readAlphabet(alphabet: string): readonly string[] {
  const characters = [...alphabet];
  const repeated = characters.find((character, at) => characters.indexOf(character) < at);
  if (repeated !== undefined) {
    throw new AuthcliError(
      'usage',
      `The alphabet has ${JSON.stringify(repeated)} more than once, which would make it more likely than the others`,
    );
  }
  if (characters.length < 2) {
    throw new AuthcliError('usage', 'The alphabet needs at least two different characters');
  }
  return characters;
}

/** `count` numbers below `bound`, unbiased: draws that would favour the small ones are thrown away. */
function drawIndices(count: number, bound: number, randomBytes: RandomBytes): number[] {
  const bytesEach = bound <= 0x100 ? 1 : 3;
  const fair = Math.floor(256 ** bytesEach / bound) * bound;
  const indices: number[] = [];
  while (indices.length < count) {
    const drawn = Buffer.from(randomBytes((count - indices.length) * bytesEach));
    for (let at = 0; at < drawn.length; at += bytesEach) {
      const value = drawn.readUIntBE(at, bytesEach);
      if (value < fair) indices.push(value % bound);
    }
  }
  return indices;
}
