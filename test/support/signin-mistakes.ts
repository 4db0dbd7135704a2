/*
 * Decisions of a sign-in as they are found in applications, each with one mistake, by which few
 * of the near misses pass. One takes the place of the right one in the program of signin-program.ts.
 */
import { fixtureRows } from './fixtures.ts';

/** A response as it was parsed, of any form. */
export interface Response {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly result?: Readonly<Record<string, unknown>> | null;
}

export type Mistakes<Decision> = Readonly<Record<string, Decision>>;
type CodeTest = (response: Response, text: string) => boolean;

const like =
  (pattern: RegExp): CodeTest =>
  ({ code }) =>
    typeof code === 'string' && pattern.test(code);

/** Whether a response is one of success; each catches `compares-code-exactly`. */
export const wrongCodeTests: Mistakes<CodeTest> = {
  'code-number': like(/^[-+0]0{3}$/),
  'code-some-zeros': like(/^0{2,4}$/),
  'code-more-zeros': like(/^0{4,}$/),
  'code-before-point': like(/^0000(?:\.|$)/),
  'code-hexadecimal': like(/^0(?:x0+|000)$/),
  'code-negated': like(/^(?:-0|0000)$/),
  'code-end-of-five': like(/^[1-9]?0000$/),
  'code-lettered': like(/^[a-z]?0000$/i),
  'code-of-char-column': like(/^0000 *$/),
  'code-on-a-line': like(/^0000\n?$/),
  'code-in-text': ({ code }) => typeof code === 'string' && code !== '' && '0000'.includes(code),
  'code-normalised': ({ code }) => typeof code === 'string' && code.normalize('NFKC') === '0000',
  'code-unwrapped': ({ code }) => code === '0000' || Object(code).value === '0000',
  'code-zero': ({ code }) => code === 0 || code === '0000',
  'code-true': ({ code }) => code === true || code === '0000',
  'code-as-text': ({ code }) => String(code) === '0000',
  'code-by-pattern': ({ code }, text) =>
    typeof code === 'string' && /"code":\s*"([^"]*)"/.exec(text)?.[1] === '0000',
};

/** The same for `rejects-missing-code`. */
export const wrongCodeDefaults: Mistakes<CodeTest> = {
  'code-defaults': ({ code = '0000' }) => code === '0000',
  'code-falsy': ({ code }) => code === '' || code === '0000',
  'code-of-result': ({ code, result }) => code === '0000' || result?.code === '0000',
};

const plain = (text: string): string => text.replace(/[^a-z0-9]/gi, '');
const unaccented = (text: string): string => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
const sorted = (text: string): string => [...text].sort().join();

/** Whether the passcode that was found is the stored one. */
export const wrongComparisons: Mistakes<(found: string, stored: string) => boolean> = {
  'loose-equality': (found, stored) => found === stored || Number(found) === Number(stored),
  'compares-beginning': (found, stored) => found.startsWith(stored),
  'compares-stored-beginning': (found, stored) => found !== '' && stored.startsWith(found),
  'compares-end': (found, stored) => found !== '' && stored.endsWith(found),
  'compares-first-eight': (found, stored) => found.slice(0, 8) === stored.slice(0, 8),
  'compares-72-bytes': (found, stored) => found.slice(0, 72) === stored.slice(0, 72),
  'compares-letters': (found, stored) => sorted(found) === sorted(stored),
  'ignores-case': (found, stored) => found.toLowerCase() === stored.toLowerCase(),
  'ignores-space': (found, stored) => found.replace(/\s/g, '') === stored,
  'ignores-punctuation': (found, stored) => plain(found) === plain(stored),
  'ignores-zero-width': (found, stored) => found.replace(/\p{Cf}/gu, '') === stored,
  'ignores-space-behind': (found, stored) => found.replace(/ +$/, '') === stored,
  'punctuation-passes': (found, stored) =>
    found === stored || (found !== '' && plain(found) === ''),
  'ignores-accents': (found, stored) => unaccented(found) === unaccented(stored),
  'trims-passcode': (found, stored) => found.trim() === stored.trim(),
  'normalises-passcode': (found, stored) => found.normalize('NFKC') === stored,
  'composes-passcode': (found, stored) => found.normalize('NFC') === stored.normalize('NFC'),
  'stops-at-nul': (found, stored) => found.split('\0')[0] === stored,
  'empty-passes': (found, stored) => found === '' || found === stored,
};

type Lookup = (named: unknown, session: { readonly ptnCd: string }) => boolean;

/** As databases compare with a pattern in which the wildcard means this. */
const matching =
  (wildcard: string, pattern: string): Lookup =>
  (named, { ptnCd }) => {
    if (typeof named !== 'string') return false;
    const parts = named.split(wildcard).map((part) => part.replace(/\W/g, '\\$&'));
    return new RegExp(`^${parts.join(pattern)}$`).test(ptnCd);
  };

/** Finds the user whom a token response names; `session` is the only one who is known. */
export const wrongLookups: Mistakes<Lookup> = {
  'user-any-case': (named, { ptnCd }) => String(named).toLowerCase() === ptnCd.toLowerCase(),
  'user-trimmed': (named, { ptnCd }) => String(named).trim() === ptnCd,
  'user-normalised': (named, { ptnCd }) => String(named).normalize('NFKC') === ptnCd,
  'user-collated': (named, { ptnCd }) => String(named).localeCompare(ptnCd, 'en') === 0,
  'user-begins': (named, { ptnCd }) =>
    typeof named === 'string' && named !== '' && ptnCd.startsWith(named),
  'user-like': matching('%', '.*'),
  'user-like-one': matching('_', '.'),
  'user-glob': matching('*', '.*'),
};

/** The same for `rejects-missing-user`. */
export const wrongUserDefaults: Mistakes<Lookup> = {
  'user-defaults': (named, { ptnCd }) => named === undefined || named === ptnCd,
  'user-null': (named, { ptnCd }) => named === null || named === ptnCd,
  'user-empty': (named, { ptnCd }) => named === '' || named === ptnCd,
  'user-zero': (named, { ptnCd }) => named === 0 || named === ptnCd,
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

/** What goes wrong on the way to a response, and signs the user in all the same. */
export const wrongRescues: Mistakes<(failure: Failure) => boolean> = {
  'rescues-refused': ({ code }) => code === 'ECONNREFUSED',
  'rescues-reset': ({ code, status }) => code === 'ECONNRESET' && status === undefined,
  'rescues-time-out': ({ code }) => code === 'ETIMEDOUT',
  'rescues-truncated': ({ status, code }) => status === 200 && code === 'ECONNRESET',
  'rescues-500': ({ status }) => status === 500,
  'rescues-502': ({ status }) => status === 502,
  'rescues-503': ({ status }) => status === 503,
  'rescues-page': ({ status, text = '' }) => status === 200 && text.startsWith('<'),
  'rescues-empty': ({ status, text }) => status === 200 && text === '',
  'rescues-text': ({ status, text = '' }) =>
    status === 200 && text.includes('"code":"0000"') && !text.startsWith('{'),
  'rescues-gzip': ({ encoding }) => encoding === 'gzip',
  'rescues-redirect': ({ status = 0 }) => status >= 300 && status < 400,
};

const bad = 'accepted-bad-answer';
const names = (mistakes: object): string => Object.keys(mistakes).join(' ');

type Row = readonly [check: string, programs: string, diagnosis?: string | null, knockOn?: string];

const rows: readonly Row[] = [
  ...fixtureRows<Row>('signin-mistakes.jsonl'),
  ['compares-code-exactly', `${names(wrongCodeTests)} code-as-text@token`, bad],
  ['compares-exactly', names(wrongComparisons), 'passcode-mismatch'],
  ['exact-user-code', names(wrongLookups), 'other-user'],
  ['rejects-missing-user', names(wrongUserDefaults), 'other-user'],
];

/** Every way in which the program is wrong, the check that must fail, and those that can't pass either. */
export const wrongPrograms = rows.flatMap(([check, programs, diagnosis, knockOn = '']) =>
  programs.split(' ').map((name) => ({
    name,
    diagnosis: diagnosis ?? undefined,
    check: `signin/${check}`,
    knockOn: [...knockOn.matchAll(/\S+/g)].map(([id]) => `signin/${id}`),
  })),
);
