/**
 * How one of the keys follows from another, as the end of a sentence (empty where they are equal);
 * undefined where none does.
 */
export function findKinship(keys: readonly string[]): string | undefined {
  const pairs = keys.flatMap((key, index) => keys.slice(index + 1).map((other) => [key, other]));
  return pairs
    .map(([key = '', other = '']) => kinshipOf(key, other))
    .find((kinship) => kinship !== undefined);
}

function kinshipOf(key: string, other: string): string | undefined {
  if (key === other) return '';
  const [left, right] = [key.toLowerCase(), other.toLowerCase()];
  if (left === right) return ' in other letters, capital or small';
  if (left === [...right].reverse().join('')) return ' turned round';
  const isTurned = left.length === right.length && (left + left).includes(right);
  return isTurned ? ' with its beginning moved to its end' : undefined;
}
