import type { Scenario } from './signin-scenarios.ts';

/**
 * Scenarios that are tried only where the one on the right has not been refused, or another of the same
 * check: who would sign users in under the left one does so under a scenario that is tried anyway. A near
 * value that is a matter of one function is tried at one of both calls, so that each kind of misreading
 * (parsing, trimming, searching, comparing loosely) meets one at either. Outages are tried at both: each call is
 * often in a try block of its own.
 */
const representatives = {
  'refuses-token': 'token-code-unknown',
  'refuses-authenticate': 'authenticate-code-unknown',

  // Numbers and prefixes: "00" and "-000" are parsed alike, "0000 " begins alike.
  'token-code-short': 'authenticate-code-short',
  'authenticate-code-two-zeros': 'token-code-two-zeros',
  'token-code-long': 'authenticate-code-long',
  'authenticate-code-decimal': 'token-code-decimal',
  'token-code-hexadecimal': 'authenticate-code-hexadecimal',
  'authenticate-code-signed': 'token-code-signed',
  'token-code-minus-zero': 'authenticate-code-minus-zero',
  'authenticate-code-digit-before': 'token-code-digit-before',
  'token-code-letter-before': 'authenticate-code-letter-before',
  'token-code-space-behind': 'authenticate-code-space-behind',
  'authenticate-code-line-end': 'token-code-line-end',
  'authenticate-code-full-width': 'token-code-full-width',
  'authenticate-code-zero': 'token-code-zero',
  'token-code-true': 'authenticate-code-true',
  'authenticate-code-in-object': 'token-code-in-object',
  'token-code-behind': 'authenticate-code-behind',
  // A default for a missing code is one for null and for an empty text, or is met at the other call.
  'token-code-null': 'token-code-elsewhere',
  'authenticate-code-null': 'authenticate-code-elsewhere',
  'token-code-empty': 'authenticate-code-empty',

  'ptn-sp-missing': 'ptn-sp-in-message',
  // Wrong keys end as damaged payloads do: in a wrong padding or tag.
  'ptn-sp-of-another-key': 'ptn-sp-damaged',

  // A code that is cut to a length, or searched for, is found in both.
  'ptn-cd-longer': 'ptn-cd-space',

  'passcode-other': 'passcode-of-another-user',
  // Their passcodes are made so that the one on the right is accepted as well; see `passcodeFor`.
  'passcode-doubled': 'passcode-space-before',
  'passcode-end': 'passcode-cut',
  'passcode-other-end': 'passcode-long-end',
  'passcode-number-like': 'passcode-long-end',
  'passcode-space-inside': 'passcode-space-behind',
  'passcode-hyphen-inside': 'passcode-reversed',
  'passcode-accent': 'passcode-kelvin',
  'passcode-punctuation': 'passcode-any-pattern',
  'passcode-percent': 'passcode-any-pattern',
  'passcode-pattern': 'passcode-any-pattern',

  'authenticate-redirect-302': 'token-redirect-302',
  'token-redirect-303': 'authenticate-redirect-303',
  'authenticate-redirect-307': 'token-redirect-307',
  'token-redirect-308': 'authenticate-redirect-308',
} as const satisfies Partial<Readonly<Record<Scenario, Scenario>>>;

const byScenario: ReadonlyMap<Scenario, Scenario> = new Map(
  Object.entries(representatives) as [Scenario, Scenario][],
);
const trusted: ReadonlySet<Scenario> = new Set(byScenario.values());

/** The scenario in whose place this one is not tried at first; undefined where it is. */
export function representativeOf(scenario: Scenario): Scenario | undefined {
  return byScenario.get(scenario);
}

/** Whether others are not tried at first where this one is refused. */
export function isRepresentative(scenario: Scenario): boolean {
  return trusted.has(scenario);
}
