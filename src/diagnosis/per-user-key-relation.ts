import type { Diagnosis } from '../errors.ts';
import { diagnoseKey } from './per-user-key-words.ts';

/**
 * Characters that two keys may have in common at the same places: of 32 random ones over ten
 * symbols 3 on average, and 20 or more once in 10^12 pairs.
 */
const convincingMatches = 20;

/** What a key has to do with the keys that other users were given; undefined for nothing. */
export function findRelation(
  key: string,
  { earlierKeys = [] }: { readonly earlierKeys?: readonly string[] },
): Diagnosis | undefined {
  const same = earlierKeys.filter((earlier) => earlier === key).length;
  if (same > 1 && same === earlierKeys.length) {
    const what = `All ${same + 1} users were given one and the same key.`;
    return diagnoseKey('key-constant', what);
  }
  if (same > 0) {
    return diagnoseKey(
      'key-repeated',
      'The same key was given before, to another user or in another exchange.',
    );
  }
  const common = Math.max(0, ...earlierKeys.map((earlier) => countMatches(key, earlier)));
  if (common < convincingMatches) return undefined;
  return diagnoseKey(
    'key-predictable',
    `The key has ${common} of its ${key.length} characters at the same places as another user's key: one can be had from the other.`,
  );
}

function countMatches(left: string, right: string): number {
  if (left.length !== right.length || left.length !== 32) return 0;
  let count = 0;
  for (let at = 0; at < left.length; at += 1) if (left[at] === right[at]) count += 1;
  return count;
}
