import { AuthcliError } from '../errors.ts';
import { matchesGlob, nearest, shorten } from '../text.ts';
import type { Capability, Check, CheckFacts } from './check.ts';
import type { CheckResult } from './result.ts';
import { testUserPrefix } from './test-data.ts';

/** Which checks to run: all, or those that match `check`, without those that match `skip`. */
export interface Selection {
  /** Ids or globs: `*` matches any characters, `?` one; a group alone matches all of it. */
  readonly check: readonly string[];
  readonly skip: readonly string[];
}

/**
 * The selected checks, in the order of the catalogue, which is that of one version of the requirements; a check that is
 * in `all` alone can be skipped.
 * @throws AuthcliError `usage` if a pattern matches no check, or nothing is left.
 */
export function selectChecks<C extends CheckFacts>(
  catalogue: readonly C[],
  { check, skip }: Selection,
  all: readonly CheckFacts[] = catalogue,
): readonly C[] {
  for (const pattern of [...check, ...skip]) requireMatch(pattern, all);
  const missing = check.find((pattern) => !catalogue.some(({ id }) => matches(id, pattern)));
  if (missing !== undefined) {
    const shown = JSON.stringify(shorten(missing, 80));
    throw new AuthcliError('usage', `${shown} is not among the checks of these requirements.`, {
      hint: 'Leave it out, or take the version since which `authcli verify --list` has it.',
    });
  }
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
  return matchesGlob(id, pattern);
}

/** Throws `usage` for a pattern that matches no check, with similar ones. */
export function requireMatch(pattern: string, catalogue: readonly CheckFacts[]): void {
  const ids = catalogue.map(({ id }) => id);
  if (ids.some((id) => matches(id, pattern))) return;
  const shown = JSON.stringify(shorten(pattern, 80));
  throw new AuthcliError('usage', `No check matches ${shown}.`, { hint: hintFor(pattern, ids) });
}

function matchesAny(id: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(id, pattern));
}

/** Compares with whole ids, the groups and last words, and searches the ids. */
function hintFor(pattern: string, ids: readonly string[]): string {
  const plain = pattern.replaceAll('*', '');
  const lastWord = (id: string) => id.slice(id.lastIndexOf('/') + 1);
  const name = lastWord(plain);
  const groups = [...new Set(ids.map((id) => id.slice(0, id.indexOf('/'))))];
  const near =
    nearest(plain, [...ids, ...groups]) ??
    ids.find((id) => name.length >= 4 && id.includes(name)) ??
    ids.find((id) => lastWord(id) === nearest(name, ids.map(lastWord)));
  return near === undefined ? `The groups are ${groups.join(', ')}.` : `Did you mean "${near}"?`;
}

/** What a check can find out for others, in words. */
const capabilities: Readonly<Record<Capability, string>> = {
  'readable-key': 'an encrypted key',
  'usable-key': 'a usable per-user key',
};

/** A selection and the checks that it needs besides; both in the order of the catalogue. */
export function planOf(selection: readonly Check[], catalogue: readonly Check[]) {
  const selected = catalogue.filter((check) => selection.includes(check));
  // What is added is visited too.
  const needed = new Set(selected);
  for (const { needs } of needed) {
    const ids = needs.map(providerOf);
    for (const control of catalogue) if (ids.includes(control.id)) needed.add(control);
  }
  const controls = catalogue.filter((check) => needed.has(check) && !selected.includes(check));
  return { selected, controls };
}

/**
 * The first need of a check that is not met, if any, why as a sentence, and whether its failure explains that; what
 * that one lacks in turn is the cause.
 */
export function missingNeed(check: Check, results: ReadonlyMap<string, CheckResult>) {
  for (const need of check.needs) {
    const id = providerOf(need);
    const result = results.get(id);
    const isThere = isCapability(need)
      ? result?.provides?.includes(need)
      : result?.status === 'passed';
    if (isThere) continue;
    const { lacks = id } = result ?? {};
    const isExplained = results.get(lacks)?.status === 'failed';
    const reason = lacks === id ? reasonOf(need, id, result) : (result?.reason ?? '');
    return { reason, lacks, isExplained };
  }
  return undefined;
}

/** What has become of a check without which another can't be judged. */
const endings: Readonly<Record<CheckResult['status'], string>> = {
  passed: 'did not find one',
  failed: 'failed',
  warned: 'failed',
  incomplete: 'was not tested',
  skipped: 'was skipped',
};

function reasonOf(need: string, id: string, result: CheckResult | undefined): string {
  const found = isCapability(need) ? `${capabilities[need]} from ` : '';
  return `It needs ${found}${id}, which ${result ? endings[result.status] : 'did not run'}.`;
}

/** The id of the check that meets a need: of every capability, the one that reads the first key. */
export function providerOf(need: string): string {
  return isCapability(need) ? 'key-exchange/wraps-key' : need;
}

function isCapability(need: string): need is Capability {
  return need in capabilities;
}

/** The only user whom the production subset signs up, the same in every run. */
export const productionUser = `${testUserPrefix}production`;

/**
 * The checks as they run against an endpoint in production: those of the subset that judge what others exchange send
 * nothing of their own, and so come last.
 */
export function forProduction(catalogue: readonly Check[]): readonly Check[] {
  return catalogue.map((check) => {
    const { review, production } = check;
    if (production !== 'reviews' || review === undefined) return check;
    const run: Check['run'] = async ({ record, environment }) =>
      review(record, environment.clientId);
    return { ...check, stage: 'review', run };
  });
}
