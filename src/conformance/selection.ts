import { AuthcliError } from '../errors.ts';
import { didYouMean } from '../suggest.ts';
import { shorten } from '../text.ts';
import type { CheckFacts } from './check.ts';

/** Which checks to run: all, or those that match; less those that match `skip`. */
export interface Selection {
  /** Ids or globs: `*` stands for any characters, `?` for one. A group alone stands for all of it. */
  readonly check: readonly string[];
  readonly skip: readonly string[];
}

/**
 * The checks of a selection, in the order of the catalogue, none twice.
 * @throws AuthcliError `usage` where a pattern matches no check, or nothing is left.
 */
export function selectChecks<C extends CheckFacts>(
  catalogue: readonly C[],
  { check, skip }: Selection,
): readonly C[] {
  for (const pattern of [...check, ...skip]) requireMatch(pattern, catalogue);
  const wanted = catalogue.filter(({ id }) => check.length === 0 || matchesAny(id, check));
  const selected = wanted.filter(({ id }) => !matchesAny(id, skip));
  if (selected.length > 0) return selected;
  throw new AuthcliError('usage', 'The selection leaves no check to run.', {
    hint: 'Skip fewer, or select others.',
  });
}

/** Whether an id matches a pattern: an id, a glob, or a group such as `registration`. */
export function matches(id: string, pattern: string): boolean {
  const literal = pattern.replace(/\/$/, '');
  if (id === literal || id.startsWith(`${literal}/`)) return true;
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('?', '.')
    .replace(/\*+/g, '.*');
  return new RegExp(`^${expression}$`).test(id);
}

/** Refuses a pattern that matches no check, with what may have been meant. */
export function requireMatch(pattern: string, catalogue: readonly CheckFacts[]): void {
  const ids = catalogue.map(({ id }) => id);
  if (ids.some((id) => matches(id, pattern))) return;
  const shown = JSON.stringify(shorten(pattern, 80));
  throw new AuthcliError('usage', `No check matches ${shown}.`, { hint: hintFor(pattern, ids) });
}

function matchesAny(id: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(id, pattern));
}

/** Compared with whole ids, with their last words, and with the groups. */
function hintFor(pattern: string, ids: readonly string[]): string {
  const plain = pattern.replaceAll('*', '');
  const groups = [...new Set(ids.map((id) => id.slice(0, id.indexOf('/'))))];
  const whole = didYouMean(plain, [...ids, ...groups]);
  if (whole !== '') return whole;
  const name = plain.slice(plain.lastIndexOf('/') + 1);
  const near = ids.find((id) => name.length >= 4 && id.includes(name));
  if (near !== undefined) return `Did you mean "${near}"?`;
  const byName = didYouMean(
    name,
    ids.map((id) => id.slice(id.indexOf('/') + 1)),
  );
  const found = ids.find((id) => byName.includes(`"${id.slice(id.indexOf('/') + 1)}"`));
  return found === undefined ? `The groups are ${groups.join(', ')}.` : `Did you mean "${found}"?`;
}
