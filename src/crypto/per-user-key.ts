import type { RandomBytes } from '../bytes.ts';

export const perUserKeyLength = 32;

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Draws a per-user key (2.2) of `length` code points, every character of the alphabet equally likely at every place;
 * it has up to 256, each once.
 */
export function generatePerUserKey(
  randomBytes: RandomBytes,
  length = perUserKeyLength,
  alphabet = lettersAndDigits,
): string {
  const characters = [...alphabet];
  // draws that would favour the first ones are thrown away
  const fair = 256 - (256 % characters.length);
  const drawn: (string | undefined)[] = [];
  while (drawn.length < length) {
    const bytes = [...randomBytes(length - drawn.length)].filter((byte) => byte < fair);
    drawn.push(...bytes.map((byte) => characters[byte % characters.length]));
  }
  return drawn.join('');
}

/** How many characters a text has, as the interface counts them here: Unicode code points. */
export function countCharacters(text: string): number {
  return [...text].length;
}
