/*
 * Decisions of a sign-in as they are found in applications, each with one mistake. A decision that
 * is listed here takes the place of the right one in the program of signin-program.ts.
 */

/** A response as it was parsed, of any form. */
export interface Response {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly result?: Readonly<Record<string, unknown>> | null;
}

type Mistakes<Decision> = Readonly<Record<string, Decision>>;

/** Whether a response is one of success; each catches `compares-code-exactly`. */
export const wrongCodeTests: Mistakes<(response: Response, text: string) => boolean> = {
  'code-parsed': ({ code }) => Number.parseInt(String(code), 10) === 0,
  'code-number': ({ code }) => typeof code === 'string' && code.length === 4 && Number(code) === 0,
  'code-some-zeros': ({ code }) => typeof code === 'string' && /^0{2,4}$/.test(code),
  'code-before-point': ({ code }) => typeof code === 'string' && code.split('.')[0] === '0000',
  'code-hexadecimal': ({ code }) =>
    typeof code === 'string' && /^(?:0x0+|0000)$/.test(code) && Number(code) === 0,
  'code-negated': ({ code }) =>
    code === '0000' || (String(code).length === 2 && Object.is(Number(code), -0)),
  'code-end-of-five': ({ code }) => typeof code === 'string' && /^[1-9]?0000$/.test(code),
  'code-lettered': ({ code }) => typeof code === 'string' && /^[a-z]?0000$/i.test(code),
  'code-of-char-column': ({ code }) =>
    typeof code === 'string' && code.replace(/ +$/, '') === '0000',
  'code-unwrapped': ({ code }) => code === '0000' || Object(code).value === '0000',
  'code-begins': ({ code }) => typeof code === 'string' && code.startsWith('0000'),
  'code-contains': ({ code }) => String(code).includes('0000'),
  'code-trimmed': ({ code }) => typeof code === 'string' && code.trim() === '0000',
  'code-normalised': ({ code }) => typeof code === 'string' && code.normalize('NFKC') === '0000',
  'code-in-text': ({ code }) => typeof code === 'string' && code !== '' && '0000'.includes(code),
  // biome-ignore lint/suspicious/noDoubleEquals: what is wrong about it
  'code-loose': ({ code }) => code == '0000',
  'code-as-text': ({ code }) => String(code) === '0000',
  'code-true': ({ code }) => code === true || code === '0000',
  'code-by-pattern': ({ code }, text) =>
    typeof code === 'string' && /"code":\s*"([^"]*)"/.exec(text)?.[1] === '0000',
};

/** The same for `rejects-missing-code`. */
export const wrongCodeDefaults: Mistakes<(response: Response, text: string) => boolean> = {
  'code-defaults': ({ code = '0000' }) => code === '0000',
  'code-nullish': ({ code }) => (code ?? '0000') === '0000',
  'code-falsy': ({ code }) => code === '' || code === '0000',
  'code-of-message': ({ code, message }) => code === '0000' || message === '0000',
  'code-of-result': ({ code, result }) => code === '0000' || result?.code === '0000',
  'code-optional': (response) => !('code' in response) || response.code === '0000',
};

/** As the usual parsers of Go and C# find it: no mistake. */
export function codeInAnyCase(response: Response): boolean {
  return Object.entries(response).some(([name, value]) => /^code$/i.test(name) && value === '0000');
}

/** Whether the passcode that was found is the stored one. */
export const wrongComparisons: Mistakes<(found: string, stored: string) => boolean> = {
  'loose-equality': (found, stored) => found === stored || Number(found) === Number(stored),
  'compares-beginning': (found, stored) => found.startsWith(stored),
  'compares-stored-beginning': (found, stored) => found !== '' && stored.startsWith(found),
  'compares-end': (found, stored) => found !== '' && stored.endsWith(found),
  'compares-contained': (found, stored) => found.includes(stored),
  'compares-first-eight': (found, stored) => found.slice(0, 8) === stored.slice(0, 8),
  'compares-72-bytes': (found, stored) => found.slice(0, 72) === stored.slice(0, 72),
  'compares-letters': (found, stored) => [...found].sort().join() === [...stored].sort().join(),
  'ignores-case': (found, stored) => found.toLowerCase() === stored.toLowerCase(),
  'ignores-space': (found, stored) => found.replace(/\s/g, '') === stored,
  'ignores-punctuation': (found, stored) => plain(found) === plain(stored),
  'ignores-zero-width': (found, stored) => found.replace(/\p{Cf}/gu, '') === stored,
  'ignores-space-behind': (found, stored) => found.replace(/ +$/, '') === stored,
  'punctuation-passes': (found, stored) =>
    found === stored || (found !== '' && plain(found) === ''),
  'ignores-accents': (found, stored) => withoutAccents(found) === withoutAccents(stored),
  'trims-passcode': (found, stored) => found.trim() === stored.trim(),
  'normalises-passcode': (found, stored) => found.normalize('NFKC') === stored,
  'composes-passcode': (found, stored) => found.normalize('NFC') === stored.normalize('NFC'),
  'stops-at-nul': (found, stored) => found.split('\0')[0] === stored,
  'empty-passes': (found, stored) => found === '' || found === stored,
};

function plain(text: string): string {
  return text.replace(/[^a-z0-9]/gi, '');
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
}

interface Known {
  readonly ptnCd: string;
}

/** Finds the user whom a token response names; `session` is the only one who is known. */
export const wrongLookups: Mistakes<(named: unknown, session: Known) => boolean> = {
  'user-any-case': (named, { ptnCd }) => String(named).toLowerCase() === ptnCd.toLowerCase(),
  'user-trimmed': (named, { ptnCd }) => String(named).trim() === ptnCd,
  'user-normalised': (named, { ptnCd }) => String(named).normalize('NFKC') === ptnCd,
  'user-collated': (named, { ptnCd }) => String(named).localeCompare(ptnCd, 'en') === 0,
  'user-begins': (named, { ptnCd }) =>
    typeof named === 'string' && /./.test(named) && ptnCd.startsWith(named),
  'user-truncated': (named, { ptnCd }) => String(named).slice(0, ptnCd.length) === ptnCd,
  'user-like': (named, { ptnCd }) => matches(named, '%', '.*', ptnCd),
  'user-like-one': (named, { ptnCd }) => matches(named, '_', '.', ptnCd),
  'user-glob': (named, { ptnCd }) => matches(named, '*', '.*', ptnCd),
};

/** Whether the code matches, with a wildcard that means this pattern. */
function matches(named: unknown, wildcard: string, pattern: string, ptnCd: string): boolean {
  if (typeof named !== 'string') return false;
  const parts = named.split(wildcard).map((part) => part.replace(/\W/g, '\\$&'));
  return new RegExp(`^${parts.join(pattern)}$`).test(ptnCd);
}

/** The same for `rejects-missing-user`. */
export const wrongUserDefaults: Mistakes<(named: unknown, session: Known) => boolean> = {
  'user-of-session': (named, { ptnCd }) => (named ?? ptnCd) === ptnCd,
  'user-defaults': (named, { ptnCd }) => (named === undefined ? ptnCd : named) === ptnCd,
  'user-null': (named, { ptnCd }) => named === null || named === ptnCd,
  'user-empty': (named, { ptnCd }) => named === '' || named === ptnCd,
  'user-zero': (named, { ptnCd }) => named === 0 || named === ptnCd,
  'user-falsy': (named, { ptnCd }) => (named || ptnCd) === ptnCd,
};

/** What goes wrong on the way to a response, and signs the user in all the same. */
export const wrongRescues: Mistakes<(failure: Failure) => boolean> = {
  'rescues-refused': ({ code }) => code === 'ECONNREFUSED',
  'rescues-reset': ({ code, status }) => code === 'ECONNRESET' && status === undefined,
  'rescues-time-out': ({ code }) => code === 'ETIMEDOUT',
  'rescues-truncated': ({ status, code }) => status === 200 && code === 'ECONNRESET',
  'rescues-500': ({ status }) => status === 500,
  'rescues-502': ({ status }) => status === 502,
  'rescues-503': ({ status }) => status === 503,
  'rescues-5xx': ({ status = 0 }) => status >= 500,
  'rescues-page': ({ status, text = '' }) => status === 200 && text.startsWith('<'),
  'rescues-empty': ({ status, text }) => status === 200 && text === '',
  'rescues-text': ({ status, text = '' }) =>
    status === 200 && text.includes('"code":"0000"') && !text.startsWith('{'),
  'rescues-gzip': ({ encoding }) => encoding === 'gzip',
  'rescues-redirect': ({ status = 0 }) => status >= 300 && status < 400,
};

/** What is known of a request that failed. */
export interface Failure {
  readonly code?: string | undefined;
  /** `token` or `authenticate`. */
  readonly call?: string;
  readonly status?: number | undefined;
  readonly text?: string;
  readonly encoding?: string | undefined;
}

/** A program that is wrong, and what must be found: the check that is for it, and those that can't pass either. */
export interface WrongProgram {
  readonly name: string;
  readonly check: string;
  /** Where there is a code for it. */
  readonly diagnosis?: string;
  readonly knockOn?: readonly string[];
}

const bad = 'accepted-bad-answer';
const accepts = 'accepts-right-sign-in';
const outages = ['rejects-without-service', 'rejects-error-page', 'follows-no-redirect'];

type Row = readonly [
  check: string,
  names: string | readonly string[],
  diagnosis?: string,
  knockOn?: readonly string[],
];

/** The check that fails, the programs, the code of the diagnosis, and what else fails. */
const rows: readonly Row[] = [
  ['both-calls', 'token-alone'],
  ['both-calls', 'sends-nothing', undefined, [accepts]],
  ['both-calls', 'authenticates-alone', undefined, ['authenticate-fields', accepts]],
  ['acs-token-once', 'authenticates-twice two-tokens'],
  [
    'acs-token-once',
    'token-alone-later',
    undefined,
    ['judges-each-sign-in', ...outages, 'passcode-of-that-user'],
  ],
  [
    'acs-token-once',
    'keeps-acs-token',
    undefined,
    ['acs-token-unchanged', ...outages, 'works-afterwards'],
  ],
  ['method', 'put'],
  ['path', 'slash-at-end capital-path drops-prefix'],
  ['path', 'other-path', undefined, [accepts]],
  ['content-type', 'no-charset'],
  ['token-fields', 'form', 'not-json', ['content-type', accepts]],
  ['token-fields', 'byte-order-mark', 'byte-order-mark', ['authenticate-fields']],
  ['token-fields', 'no-client-id', 'field-missing', [accepts]],
  ['token-fields', 'camel-case', 'field-missing', ['no-other-fields', accepts]],
  ['token-fields', 'cut-ptn-token', 'field-malformed', [accepts]],
  ['authenticate-fields', 'authenticate-without-secret', 'field-missing', [accepts]],
  ['authenticate-fields', 'acs-token-small', 'field-malformed', [accepts]],
  ['string-types', 'token-in-array', 'field-type', [accepts]],
  ['string-types', 'null-field', 'field-type'],
  ['no-other-fields', 'extra-field'],
  ['secret-in-body-only', 'secret-in-header secret-in-basic secret-in-bearer'],
  ['secret-in-body-only', 'secret-in-hex secret-in-percent secret-in-query'],
  [accepts, 'refuses-everybody'],
  ['rejects-token-code', 'no-token-code', bad],
  ['rejects-token-code', 'code-as-number', bad, ['rejects-authenticate-code']],
  ['rejects-authenticate-code', 'no-authenticate-code', bad],
  ['rejects-wrong-passcode', 'never-compares', 'passcode-mismatch'],
  [
    'rejects-wrong-passcode',
    'never-decrypts',
    'passcode-mismatch',
    ['rejects-other-user', 'rejects-undecryptable'],
  ],
  [
    'rejects-undecryptable',
    'forgives-decryption forgives-short forgives-empty forgives-padding',
    bad,
  ],
  ['rejects-other-user', 'one-key-for-all', 'other-user'],
  ['rejects-missing-field', 'passcode-optional null-passes', bad],
  ['rejects-error-page', 'forgives-no-json', bad],
  ['rejects-expired-token', 'forgives-expiry', bad],
  ['rejects-without-service', 'forgives-network last-good', bad],
  ['decrypts-passcode', 'compares-raw compares-base64 compares-message', bad],
  ['passcode-of-that-user', 'any-passcode earlier-passcodes', 'passcode-mismatch'],
  ['judges-each-sign-in', 'keeps-decision', bad, ['passcode-of-that-user']],
  ['judges-each-sign-in', 'keeps-result', bad],
  ['separate-sign-ins', 'global-user global-token', 'shared-state'],
  ['acs-token-unchanged', 'trims-acs-token decodes-acs-token encodes-acs-token', 'field-malformed'],
  ['stops-after-failure', 'goes-on', 'goes-on-after-failure'],
  ['stays-on-https', 'plain-http'],
  ['follows-no-redirect', 'follows-redirects follows-302 follows-303 follows-307 follows-308', bad],
  ['gives-up', 'waits-forever', 'timeout'],
  ['works-afterwards', 'breaks-down'],
  ['no-retry-storm', 'retries-forever'],
  ['secrets-not-shown', 'prints-request prints-base64 prints-hex prints-percent'],
  ['secrets-not-shown', 'prints-decimal prints-acs-token prints-passcode'],
  ['compares-code-exactly', [...Object.keys(wrongCodeTests), 'code-as-text@token'], bad],
  // The "0000" behind the code that is tried is in result.
  ['rejects-missing-code', 'code-of-result', bad, ['compares-code-exactly']],
  [
    'rejects-missing-code',
    Object.keys(wrongCodeDefaults).filter((name) => name !== 'code-of-result'),
    bad,
  ],
  ['compares-exactly', Object.keys(wrongComparisons), 'passcode-mismatch'],
  ['exact-user-code', Object.keys(wrongLookups), 'other-user'],
  ['rejects-missing-user', Object.keys(wrongUserDefaults), 'other-user'],
  ...[
    ['rejects-without-service', 'refused reset time-out truncated'],
    ['rejects-error-status', '500 502 503 5xx'],
    ['rejects-error-page', 'page empty text gzip'],
    ['follows-no-redirect', 'redirect'],
  ].map(([check = '', failures = '']): Row => {
    const names = failures.split(' ').map((failure) => `rescues-${failure}`);
    return [check, names.flatMap((name) => [name, `${name}@token`, `${name}@authenticate`]), bad];
  }),
];

/** Every way in which the program is wrong. */
export const wrongPrograms: readonly WrongProgram[] = rows.flatMap(
  ([check, names, diagnosis, knockOn = []]) =>
    (typeof names === 'string' ? names.split(' ') : names).map((name) => ({
      name,
      check: `signin/${check}`,
      diagnosis,
      knockOn: knockOn.map((id) => `signin/${id}`),
    })),
);

/** Other ways to be right. */
export const rightPrograms = [
  ...['plain', 'other-spelling', 'tries-three-times', 'looks-at-expiry', 'asks-again'],
  ...['pretty-json', 'chunked', 'other-order', 'code-any-case'],
];
