import type { SigninBehaviour } from '../emulator/faults/points.ts';
import { type SigninCall, type WrongResponse, wrongResponses } from '../emulator/faults/signin.ts';

/** How the service behaves at one sign-in. */
export interface Scenario
  extends Pick<WrongResponse, 'name' | 'when' | 'call' | 'triedBy' | 'needsOwnPasscode'> {
  readonly behaviour: (other: Other) => SigninBehaviour;
}

/** Another user, or the same one before. */
export interface Other {
  readonly ptnCd: string;
  readonly passcode: string;
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

type Row = readonly [
  name: string,
  call: SigninCall,
  when: string,
  behaviour: Scenario['behaviour'],
  triedBy?: string,
];

const rightly = () => ({});
const otherPasscode = ({ passcode }: Other) => ({ passcode: () => passcode });
const other = 'ptn_sp decrypts to the passcode of';

const rows: readonly Row[] = [
  ['right', 'token', 'the service accepts the sign-in', rightly],
  [
    'acs-token-unusual',
    'authenticate',
    'the acs_token contains +/=&%41 and ends with a space',
    () => ({ acsToken: (right) => `${right}+/=&%41 .~ `, acceptsAnyAcsToken: true }),
  ],
  [
    'token-expired',
    'token',
    'the expired acs_token is refused with code "E302"',
    () => ({ isExpired: true }),
    'rejects-expired-token',
  ],
  [
    'ptn-cd-other',
    'token',
    'the token response names another user than the one whose passcode comes back',
    ({ ptnCd }) => ({ ptnCd: () => ptnCd }),
    'rejects-other-user',
  ],
  [
    'passcode-any-pattern',
    'authenticate',
    `ptn_sp decrypts to "${anyPattern}", which LIKE, GLOB and regular expressions match with the stored passcode`,
    () => ({ passcode: () => anyPattern }),
    'compares-exactly',
  ],
  [
    'passcode-long-end',
    'authenticate',
    'ptn_sp decrypts to a passcode that differs from the stored one in the last of 100 characters',
    () => scenarioNamed('passcode-other-end').behaviour(nobody),
    'compares-exactly',
  ],
  ['passcode-of-another-user', 'authenticate', `${other} another user`, otherPasscode],
  [
    'passcode-earlier',
    'authenticate',
    `${other} an earlier registration of this user`,
    otherPasscode,
  ],
  ...(['token', 'authenticate'] as const).map((call): Row => {
    const when = `the service takes no connection for the ${call} request`;
    return [`${call}-no-connection`, call, when, rightly, 'rejects-without-service'];
  }),
  [
    'plain-text',
    'token',
    '{auth_url} is https, and no TLS connection can be made',
    rightly,
    'stays-on-https',
  ],
];

const nobody: Other = { ptnCd: '', passcode: '' };

export const scenarios: readonly Scenario[] = [
  ...rows.map(
    ([name, call, when, behaviour, triedBy]): Scenario => ({
      name,
      call,
      when,
      behaviour,
      triedBy,
    }),
  ),
  ...wrongResponses.map(
    (response): Scenario => ({
      ...response,
      // After a failed token request everything is accepted, so that no user is refused by chance.
      behaviour: () => ({ ...response.apply, acceptsAnyAcsToken: failsAtToken(response.name) }),
    }),
  ),
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
