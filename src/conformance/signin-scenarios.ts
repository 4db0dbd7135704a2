/**
 * How the service behaves at one sign-in, as the end of a sentence after "when". The user must be
 * signed in under those of `rightScenarios`, and under no other.
 */
export const scenarios = {
  right: 'the service accepts the sign-in',
  'acs-token-unusual': 'the acs_token contains +/=&%41 and ends with a space',

  'refuses-token': 'the token request is answered with code "E201"',
  'refuses-authenticate': 'the authenticate request is answered with code "E301"',
  'token-expired': 'the expired acs_token is refused with code "E302"',
  ...codesOf('token'),
  ...codesOf('authenticate'),

  'acs-token-missing': 'the token response has no acs_token',
  'authenticate-without-result': 'the authenticate response has no result',
  'ptn-sp-missing': 'the authenticate response has no ptn_sp',
  'ptn-sp-null': 'ptn_sp is null',

  'ptn-cd-other': 'the token response names another user than the one whose passcode comes back',
  'ptn-cd-other-case': 'the token response names the user with the letters in the other case',
  'ptn-cd-space': 'the token response names the user with a space behind',
  'ptn-cd-full-width': 'the token response names the user with its first character in full width',
  'ptn-cd-zero-width': 'the token response names the user with a zero-width space inside',
  'ptn-cd-shorter': "the token response names only the beginning of the user's code",
  'ptn-cd-longer': "the token response names the user's code plus one character",
  'ptn-cd-percent': 'the token response names the user "%"',
  'ptn-cd-underscore': 'the token response names the user with "_" in place of the last character',
  'ptn-cd-asterisk': 'the token response names the user "*"',
  'ptn-cd-missing': 'the token response has no ptn_cd',
  'ptn-cd-null': 'ptn_cd of the token response is null',
  'ptn-cd-empty': 'ptn_cd of the token response is empty',
  'ptn-cd-zero': 'ptn_cd of the token response is the number 0',

  'passcode-other': 'ptn_sp decrypts to another passcode',
  'passcode-empty': 'ptn_sp decrypts to an empty text',
  'passcode-doubled': 'ptn_sp decrypts to the stored passcode twice over',
  'passcode-cut': 'ptn_sp decrypts to the stored passcode without its last character',
  'passcode-end': 'ptn_sp decrypts to the stored passcode without its first character',
  'passcode-other-end': 'ptn_sp decrypts to the stored passcode with another last character',
  'passcode-reversed': 'ptn_sp decrypts to the stored passcode backwards',
  'passcode-other-case': 'ptn_sp decrypts to the stored passcode with upper and lower case swapped',
  'passcode-line-end': 'ptn_sp decrypts to the stored passcode and a line end',
  'passcode-space-before': 'ptn_sp decrypts to the stored passcode behind a space',
  'passcode-space-behind': 'ptn_sp decrypts to the stored passcode and a space',
  'passcode-space-inside': 'ptn_sp decrypts to the stored passcode with a space inside',
  'passcode-hyphen-inside': 'ptn_sp decrypts to the stored passcode with a hyphen inside',
  'passcode-punctuation': 'ptn_sp decrypts to hyphens alone',
  'passcode-accent': 'ptn_sp decrypts to the stored passcode with an accent on its first letter',
  'passcode-zero-width': 'ptn_sp decrypts to the stored passcode with a zero-width space inside',
  'passcode-nul': 'ptn_sp decrypts to the stored passcode, a NUL and more',
  'passcode-full-width': 'ptn_sp decrypts to the stored passcode with its letters in full width',
  'passcode-high-bytes':
    'ptn_sp decrypts to the stored passcode with 256 added to the code of each character',
  'passcode-kelvin': 'ptn_sp decrypts to the stored passcode with the Kelvin sign in place of K',
  'passcode-percent': 'ptn_sp decrypts to "%"',
  'passcode-pattern': 'ptn_sp decrypts to ".*"',
  'passcode-any-pattern':
    'ptn_sp decrypts to "%|.*", which LIKE, GLOB and regular expressions match with the stored passcode',
  'passcode-long-end':
    'ptn_sp decrypts to a passcode that differs from the stored one in the last of 100 characters',
  'passcode-number-like': 'ptn_sp decrypts to another text that looks like the same number',
  'passcode-of-another-user': 'ptn_sp decrypts to the passcode of another user',
  'passcode-earlier': 'ptn_sp decrypts to the passcode of an earlier registration of this user',

  'ptn-sp-damaged': 'ptn_sp is damaged, so that its padding or tag is wrong',
  'ptn-sp-tag-damaged': 'the authentication tag of ptn_sp is wrong, and its text right',
  'ptn-sp-empty': 'ptn_sp is empty',
  'ptn-sp-cut': 'ptn_sp lacks its last bytes',
  'ptn-sp-of-another-key': 'ptn_sp is encrypted with the key of another user',
  'ptn-sp-plain': 'ptn_sp is the stored passcode, not encrypted',
  'ptn-sp-base64': 'ptn_sp is the stored passcode in Base64, not encrypted',
  'ptn-sp-in-message': 'message is the stored passcode, and ptn_sp is missing',

  'token-no-connection': 'the service takes no connection for the token request',
  'authenticate-no-connection': 'the service takes no connection for the authenticate request',
  ...outagesOf('token'),
  ...outagesOf('authenticate'),
  'plain-text': '{auth_url} is https, and no TLS connection can be made',
} as const;

export type Scenario = keyof typeof scenarios;

/** Those under which the user must be signed in. */
export const rightScenarios: ReadonlySet<Scenario> = new Set<Scenario>([
  'right',
  'acs-token-unusual',
]);

/** The application ends there, before an authenticate request. */
export function showsAtToken(scenario: Scenario): boolean {
  // An application that doesn't know the user, or checks expire_dt, rightly stops after the first.
  return /^(?:right|refuses-token|token-|acs-token-missing|ptn-cd-)/.test(scenario);
}

/** The token request fails, so that no authenticate request may follow. */
export function failsAtToken(scenario: Scenario): boolean {
  // Of a body with code "0000" an application may find out by the authenticate request.
  if (scenario === 'token-expired' || scenario === 'token-status-503') return false;
  return scenario === 'refuses-token' || scenario.startsWith('token-');
}

type SigninCall = 'token' | 'authenticate';

function named<Call extends SigninCall, Name extends string>(
  call: Call,
  rows: Readonly<Record<Name, string>>,
): Readonly<Record<`${Call}-${Name}`, string>> {
  const entries = Object.entries<string>(rows).map(([name, how]) => [
    `${call}-${name}`,
    how.replace('REQUEST', `the ${call} request`),
  ]);
  return Object.fromEntries(entries);
}

function codesOf<Call extends SigninCall>(call: Call) {
  return named(call, {
    'code-unknown': 'REQUEST is answered with code "0001" and a complete result',
    'code-short': 'REQUEST is answered with code "0"',
    'code-two-zeros': 'REQUEST is answered with code "00"',
    'code-long': 'REQUEST is answered with code "00000"',
    'code-decimal': 'REQUEST is answered with code "0000.0"',
    'code-hexadecimal': 'REQUEST is answered with code "0x0"',
    'code-digit-before': 'REQUEST is answered with code "10000"',
    'code-letter-before': 'REQUEST is answered with code "x0000"',
    'code-space-behind': 'REQUEST is answered with code "0000" and a space',
    'code-line-end': 'REQUEST is answered with code "0000" and a line end',
    'code-full-width': 'REQUEST is answered with code "0000" in full-width digits',
    'code-signed': 'REQUEST is answered with code "-000"',
    'code-minus-zero': 'REQUEST is answered with code "-0"',
    'code-zero': 'REQUEST is answered with the number 0 as code',
    'code-true': 'REQUEST is answered with true as code',
    'code-in-array': 'REQUEST is answered with ["0000"] as code',
    'code-in-object': 'REQUEST is answered with {"value":"0000"} as code',
    'code-behind':
      'REQUEST is answered with code "E999" behind a result that contains the code "0000"',
    'code-empty': 'REQUEST is answered with an empty code',
    'code-null': 'REQUEST is answered with a code that is null',
    'code-elsewhere': 'REQUEST is answered without code, and with "0000" in message and result',
  });
}

function outagesOf<Call extends SigninCall>(call: Call) {
  return named(call, {
    reset: 'the connection is reset at REQUEST',
    truncated: 'the connection is closed in the middle of the response to REQUEST',
    silent: 'REQUEST is never answered',
    'status-500': 'REQUEST is answered with HTTP 500 and an empty body',
    'status-502': 'REQUEST is answered with HTTP 502 and a page in HTML',
    'status-503': 'REQUEST is answered with HTTP 503 and code "0000", without a result',
    html: 'REQUEST is answered with HTTP 200 and a page in HTML',
    'empty-body': 'REQUEST is answered with HTTP 200 and an empty body',
    'not-json': 'REQUEST is answered with text that only contains "code":"0000"',
    'gzip-garbage': 'REQUEST is answered with a compressed body that is damaged',
    'redirect-302':
      'REQUEST is redirected with HTTP 302 to another server, which accepts everybody',
    'redirect-303':
      'REQUEST is redirected with HTTP 303 to another server, which accepts everybody',
    'redirect-307':
      'REQUEST is redirected with HTTP 307 to another server, which accepts everybody',
    'redirect-308':
      'REQUEST is redirected with HTTP 308 to another server, which accepts everybody',
  });
}
