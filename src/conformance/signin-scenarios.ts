import type { SigninBehaviour } from '../emulator/faults/points.ts';
import { type WrongResponse, wrongResponses } from '../emulator/faults/signin.ts';

/** How the service behaves at one sign-in. */
export interface Scenario
  extends Pick<WrongResponse, 'name' | 'when' | 'call' | 'triedBy' | 'needsOwnPasscode'> {
  /** Right by default, or as the check says that signs a user in. */
  readonly behaviour?: SigninBehaviour | undefined;
}

/** Those under which the user must be signed in. */
export const rightScenarios: ReadonlySet<string> = new Set(['right', 'acs-token-unusual']);

/** What is returned in the scenario `passcode-any-pattern`. */
const anyPattern = '%|.*';

/** Equal to any other of its kind for a comparison that takes texts for numbers (0 times a power of ten). */
const numberLike = '0e462097431906509019562988736854';

/** Passcodes of users that are made for one scenario, in which several wrong comparisons accept what comes back. */
const chosenPasscodes: Readonly<Record<string, (any: string) => string>> = {
  'passcode-space-before': () => numberLike,
  // Its beginning is its end as well.
  'passcode-cut': (any) => 'K'.repeat(any.length),
  // Backwards, only the hyphen is at another place.
  'passcode-reversed': (any) => `-${any}${[...any].reverse().join('')}`,
  'passcode-any-pattern': (any) => `%|.${any}|.*`,
  'passcode-long-end': () => numberLike.padEnd(100, '7'),
};

export const scenarios: readonly Scenario[] = [
  { name: 'right', call: 'token', when: 'the service accepts the sign-in' },
  {
    name: 'acs-token-unusual',
    call: 'authenticate',
    when: 'the acs_token contains +/=&%41 and ends with a space',
    behaviour: { acsToken: (right) => `${right}+/=&%41 .~ `, acceptsAnyAcsToken: true },
  },
  {
    name: 'token-expired',
    call: 'token',
    when: 'the expired acs_token is refused with code "E302"',
    behaviour: { isExpired: true },
    triedBy: 'rejects-expired-token',
  },
  {
    name: 'ptn-cd-other',
    call: 'token',
    when: 'the token response names another user than the one whose passcode comes back',
    triedBy: 'rejects-other-user',
  },
  {
    name: 'passcode-any-pattern',
    call: 'authenticate',
    when: `ptn_sp decrypts to "${anyPattern}", which LIKE, GLOB and regular expressions match with the stored passcode`,
    behaviour: { passcode: () => anyPattern },
    triedBy: 'compares-exactly',
  },
  {
    name: 'passcode-long-end',
    call: 'authenticate',
    when: 'ptn_sp decrypts to a passcode that differs from the stored one in the last of 100 characters',
    behaviour: wrongResponses.find(({ name }) => name === 'passcode-other-end')?.apply,
    triedBy: 'compares-exactly',
  },
  {
    name: 'passcode-of-another-user',
    call: 'authenticate',
    when: 'ptn_sp decrypts to the passcode of another user',
  },
  {
    name: 'passcode-earlier',
    call: 'authenticate',
    when: 'ptn_sp decrypts to the passcode of an earlier registration of this user',
  },
  ...(['token', 'authenticate'] as const).map((call) => ({
    name: `${call}-no-connection`,
    call,
    when: `the service takes no connection for the ${call} request`,
    triedBy: 'rejects-without-service',
  })),
  {
    name: 'plain-text',
    call: 'token',
    when: '{auth_url} is https, and no TLS connection can be made',
    triedBy: 'stays-on-https',
  },
  ...wrongResponses.map((response) => ({
    ...response,
    // After a failed token request everything is accepted, so that no user is refused by chance.
    behaviour: { ...response.apply, acceptsAnyAcsToken: failsAtToken(response.name) },
  })),
];

const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));

/** @throws TypeError for a name that is none */
export function scenarioNamed(name: string): Scenario {
  const scenario = byName.get(name);
  if (scenario === undefined) throw new TypeError(`no scenario ${name}`);
  return scenario;
}

/** The passcode that the user needs who signs in under this scenario; undefined where any will do. */
export function passcodeFor(name: string, any: string, isInvented: boolean): string | undefined {
  if (name === 'passcode-number-like') return numberLike;
  return isInvented ? chosenPasscodes[name]?.(any) : undefined;
}

/** The token request fails, so that no authenticate request may follow. */
export function failsAtToken(name: string): boolean {
  // Of a body with code "0000" an application may find out by the authenticate request.
  if (name === 'token-expired' || name === 'token-status-503') return false;
  return name === 'refuses-token' || name.startsWith('token-');
}
