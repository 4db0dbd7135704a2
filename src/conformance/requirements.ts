import { AuthcliError } from '../errors.ts';
import { shorten } from '../text.ts';
import { checks } from './catalogue.ts';
import type { Check } from './check.ts';
import { signinChecks } from './signin-catalogue.ts';

type Versioned = Pick<Check, 'level' | 'earlier'>;

/** The versions that there are, the newest last: the one that the catalogues describe. */
export function requirementVersions(): readonly number[] {
  const lengths = [...checks, ...signinChecks].map(({ earlier = [] }) => earlier.length);
  return Array.from({ length: Math.max(...lengths) + 1 }, (_, index) => index + 1);
}

/**
 * The version that is asked for, by default the newest.
 *
 * @throws AuthcliError `usage` if there is none of that number
 */
export function requirementVersion(given?: string | number): number {
  const versions = requirementVersions();
  const wanted = String(given ?? versions.length);
  const found = versions.find((version) => String(version) === wanted);
  if (found !== undefined) return found;
  const shown = JSON.stringify(shorten(wanted, 20));
  throw new AuthcliError('usage', `There is no version ${shown} of the requirements.`, {
    hint: `The versions: ${versions.join(', ')}. Without one, the newest is checked.`,
  });
}

/** The checks that a version has, at its levels. */
export function requirementsOf<C extends Versioned>(all: readonly C[], version: number) {
  return all.flatMap((check) => {
    const level = levelIn(check, version);
    return level === 'absent' ? [] : [{ ...check, level }];
  });
}

/** The version since which a check has the level that it has in `version`. */
export function sinceOf(check: Versioned, version: number): number {
  const level = levelIn(check, version);
  return version > 1 && levelIn(check, version - 1) === level
    ? sinceOf(check, version - 1)
    : version;
}

function levelIn({ level, earlier = [] }: Versioned, version: number) {
  return earlier[version - 1] ?? level;
}
