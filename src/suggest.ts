/** Beyond it, the distance of two words isn't computed. */
const maxDistance = 3;

/** The candidate nearest to a mistyped word, case aside; undefined where none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance && distance <= slipsIn(word, candidate)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** How many typing mistakes may be between two words: in a short one, two already make another word of it. */
function slipsIn(word: string, candidate: string): number {
  const length = Math.max(word.length, candidate.length);
  if (length < 2) return 0;
  return length <= 5 ? 1 : 2;
}

/** The question for a hint, `Did you mean "url"?`; empty where no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? '' : `Did you mean "${candidate}"?`;
}

/** The restricted Damerau-Levenshtein distance; 4 for words whose lengths differ by more than 3. */
export function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > maxDistance) return maxDistance + 1;
  let previous: number[] = [];
  let current = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const edits = [
        (next[column - 1] ?? 0) + 1,
        (current[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + (same ? 0 : 1),
      ];
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        edits.push((previous[column - 2] ?? maxDistance) + 1);
      }
      next.push(Math.min(...edits));
    }
    [previous, current] = [current, next];
  }
  return current[right.length] ?? maxDistance + 1;
}
