/** The field's name as people vary it: without case, underscores, dashes, dots and spaces. */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[\s._-]+/g, '');
}

/** Longer names than this are never taken for a misspelt one. */
const maxNameLength = 64;

/**
 * Whether a name found is likely a slip for the field that is wanted: the same but for case and
 * separators, one of the known other names, or (for names of at least six letters) at most two
 * letters away.
 */
export function isNearName(found: string, wanted: string, otherNames: readonly string[]): boolean {
  if (found.length > maxNameLength) return false;
  const left = normaliseName(found);
  const right = normaliseName(wanted);
  if (left === right) return true;
  if (otherNames.some((name) => normaliseName(name) === left)) return true;
  return (
    right.length >= 6 && Math.abs(left.length - right.length) <= 2 && distance(left, right) <= 2
  );
}

/** The Levenshtein distance: single letters put in, left out or replaced. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...right].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
