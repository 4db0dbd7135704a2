import { fc } from './fast-check.ts';

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any code point but half a surrogate pair, as a unit of `fc.string`: what fast-check calls `binary`,
 * whose table of a million strings takes a second and 80 MB of each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map(characterAt, indexOf);

function characterAt(index: number): string {
  return String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count);
}

/** What fast-check shrinks with, and recognises `__proto__` and the like by. */
function indexOf(value: unknown): number {
  const [character, ...others] = typeof value === 'string' ? [...value] : [];
  const code = character?.codePointAt(0);
  if (code === undefined || others.length > 0) throw new TypeError('Not one character');
  if (code < surrogates.first) return code;
  if (code < surrogates.first + surrogates.count) throw new TypeError('Half a surrogate pair');
  return code - surrogates.count;
}
