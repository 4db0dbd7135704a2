import type { Scenario } from './signin-scenarios.ts';

/** What is returned in the scenario `passcode-any-pattern`. */
export const anyPattern = '%|.*';

/** Equal to any other of its kind for a comparison that takes texts for numbers (0 times a power of ten). */
const numberLike = '0e462097431906509019562988736854';

/**
 * The passcode of the user who signs in under this scenario; undefined where any will do. Those of invented
 * users are made so that several wrong comparisons accept what the service returns then.
 * @param any a passcode of letters, digits, "-" and "_"
 */
export function passcodeFor(
  scenario: Scenario,
  any: string,
  isInvented: boolean,
): string | undefined {
  if (scenario === 'passcode-number-like') return numberLike;
  if (!isInvented) return undefined;
  switch (scenario) {
    case 'passcode-long-end':
      return numberLike.padEnd(100, '7');
    case 'passcode-space-before':
      return numberLike;
    // Its beginning is its end as well.
    case 'passcode-cut':
      return 'K'.repeat(any.length);
    // Backwards, only the hyphen is at another place.
    case 'passcode-reversed':
      return `-${any}${[...any].reverse().join('')}`;
    case 'passcode-any-pattern':
      return `%|.${any}|.*`;
    default:
      return undefined;
  }
}
