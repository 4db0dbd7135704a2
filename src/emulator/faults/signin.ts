import { encodeBase64, encodeBase64Url, encodeUtf8 } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { encryptPayload } from '../../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import type { DiagnosisCode } from '../../errors.ts';
import { contentType } from '../../protocol/endpoints.ts';
import { dayMs, formatExpireDt } from '../../protocol/expiry.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { swapCase } from '../../text.ts';
import { refusal } from '../handling.ts';
import type { EmulatorResponse } from '../http.ts';
import { type ServiceRefusal, serviceCodes } from '../refusals.ts';
import { editResult, editSuccess, renamed, withField, without } from './edit.ts';
import type { Hooks, ServiceFault, ServicePoints, SigninSituation, Situation } from './points.ts';

export type SigninCall = 'token' | 'authenticate';

/**
 * A wrong response at a sign-in: a fault of the emulated service. Under most of them a check of `verify --signin` has a
 * user sign in, who must be refused.
 */
export interface WrongResponse extends ServiceFault {
  readonly call: SigninCall;
  readonly apply: Hooks<ServicePoints>;
  /** What the service does then, as the end of a sentence after "when". */
  readonly when: string;
  /** The check that tries it, without its group. */
  readonly triedBy?: string | undefined;
  /** Tried only with users who have their passcode already: others are given one with which another row shows the same. */
  readonly needsOwnPasscode?: boolean;
}

/** What the service does then, after "when"; the others say it in their rows. */
const sentences = {
  'acs-token-number': 'acs_token is a number',
  'acs-token-corrupted': 'the acs_token is one that the service does not accept afterwards',
  'expire-dt-iso': 'expire_dt is in ISO 8601',
  'expire-dt-hour-24': 'the hours of expire_dt are counted to 24',
  'expire-dt-past': 'expire_dt was two days ago',
  'expire-dt-missing': 'the token response has no expire_dt',
  'acs-token-missing': 'the token response has no acs_token',
  'ptn-cd-missing': 'the token response has no ptn_cd',
  'ptn-cd-null': 'ptn_cd of the token response is null',
  'ptn-cd-empty': 'ptn_cd of the token response is empty',
  'ptn-cd-zero': 'ptn_cd of the token response is the number 0',
  'passcode-other': 'ptn_sp decrypts to another passcode',
  'ptn-sp-other-cipher': 'ptn_sp is encrypted with a cipher other than the configured one',
  'ptn-sp-other-key': "ptn_sp is encrypted with a key that is not the user's",
  'ptn-sp-of-another-key': 'ptn_sp is a random passcode, encrypted with another key',
  'ptn-sp-garbled': 'ptn_sp is written with characters that no encoding uses',
  'ptn-sp-renamed': 'ptn_sp is sent as partner_sp, as in the callback',
  'authenticate-without-result': 'the authenticate response has no result',
  'ptn-sp-missing': 'the authenticate response has no ptn_sp',
  'ptn-sp-null': 'ptn_sp is null',
  'ptn-sp-damaged': 'ptn_sp is damaged, so that its padding or tag is wrong',
  'ptn-sp-tag-damaged': 'the authentication tag of ptn_sp is wrong, and its text right',
  'ptn-sp-empty': 'ptn_sp is empty',
  'ptn-sp-cut': 'ptn_sp lacks its last bytes',
  'ptn-sp-plain': 'ptn_sp is the stored passcode, not encrypted',
  'ptn-sp-base64': 'ptn_sp is the stored passcode in Base64, not encrypted',
  'ptn-sp-in-message': 'message is the stored passcode, and ptn_sp is missing',
  'code-number': 'the responses have the number 0 as code',
  'message-missing': 'the responses have no message',
  'result-missing': 'the responses have no result',
  'refuses-token': 'the token request is answered with code "E201"',
  'refuses-authenticate': 'the authenticate request is answered with code "E301"',
} as const;

type Row = Hooks<ServicePoints> & { readonly diagnosis?: DiagnosisCode };
type Change = (right: string) => string;
type ChangeRow = readonly [end: string, change: Change, diagnosis?: DiagnosisCode];
type Rows<Each> = Readonly<Record<string, Each>>;

function wrong(
  name: string,
  when: string,
  facts: Pick<WrongResponse, 'call' | 'triedBy' | 'diagnosis' | 'apply'>,
): WrongResponse {
  return { name, title: when.replace(/^the /, 'The '), when, ...facts };
}

function rows(
  call: SigninCall,
  triedBy: string | undefined,
  usual: DiagnosisCode,
  table: Readonly<Partial<Record<keyof typeof sentences, Row>>>,
): readonly WrongResponse[] {
  return Object.entries(table).map(([name, { diagnosis = usual, ...apply }]) => {
    const when = sentences[name as keyof typeof sentences];
    return wrong(name, when, { call, triedBy, diagnosis, apply });
  });
}

/** Rows whose sentences begin alike, and that change the same value. */
function changes(
  [call, point, beginning]: readonly [SigninCall, 'ptnCd' | 'passcode', string],
  triedBy: string | undefined,
  usual: DiagnosisCode,
  table: Rows<ChangeRow>,
): readonly WrongResponse[] {
  return Object.entries(table).map(([name, [end, change, diagnosis = usual]]) => {
    const apply = { [point]: change };
    return wrong(name, `${beginning} ${end}`, { call, triedBy, diagnosis, apply });
  });
}

const token = (name: string, value: unknown) => editResult(withField(name, value), 'token');
const tokenWithout = (name: string) => editResult(without(name), 'token');

const namedUser = ['token', 'ptnCd', 'the token response names'] as const;

/** The token response (section 4.2.1). */
const tokens: readonly WrongResponse[] = [
  ...changes(namedUser, undefined, 'other-user', {
    'other-user': ['a user other than that of the ptn_token', (right) => `${right}-other`],
    'ptn-cd-longer': ["the user's code plus one character", (right) => `${right}0`],
  }),
  ...rows('token', undefined, 'field-malformed', {
    'acs-token-number': { ...token('acs_token', 4711), diagnosis: 'field-type' },
    'acs-token-corrupted': { acsToken: reversed, diagnosis: 'code-not-success' },
    'expire-dt-iso': {
      expireDt: (right) => right.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6'),
    },
    'expire-dt-hour-24': { expireDt: (right) => `${right.slice(0, 8)}24${right.slice(10)}` },
    'expire-dt-past': {
      expireDt: (_, { now }) => formatExpireDt(new Date(now - 2 * dayMs), 'UTC'),
    },
    'expire-dt-missing': { ...tokenWithout('expire_dt'), diagnosis: 'field-missing' },
  }),
  ...rows('token', 'rejects-missing-field', 'field-missing', {
    'acs-token-missing': tokenWithout('acs_token'),
  }),
  ...rows('token', 'rejects-missing-user', 'field-type', {
    'ptn-cd-missing': { ...tokenWithout('ptn_cd'), diagnosis: 'field-missing' },
    'ptn-cd-null': token('ptn_cd', null),
    'ptn-cd-empty': { ptnCd: () => '', diagnosis: 'field-malformed' },
    'ptn-cd-zero': token('ptn_cd', 0),
  }),
  ...changes(namedUser, 'exact-user-code', 'other-user', {
    'ptn-cd-other-case': [
      'the user with the letters in the other case',
      (right) => (right === right.toUpperCase() ? right.toLowerCase() : right.toUpperCase()),
    ],
    'ptn-cd-space': ['the user with a space behind', (right) => `${right} `],
    'ptn-cd-full-width': [
      'the user with its first character in full width',
      (right) => right.replace(/^[!-~]/, moved(0xfee0)),
    ],
    'ptn-cd-zero-width': [
      'the user with a zero-width space inside',
      (right) => right.replace(/.$/u, '\u200b$&'),
    ],
    'ptn-cd-shorter': ["only the beginning of the user's code", (right) => right.slice(0, -1)],
    'ptn-cd-percent': ['the user "%"', () => '%'],
    'ptn-cd-underscore': [
      'the user with "_" in place of the last character',
      (right) => right.replace(/.$/u, '_'),
    ],
    'ptn-cd-asterisk': ['the user "*"', () => '*'],
  }),
];

const decrypted = ['authenticate', 'passcode', 'ptn_sp decrypts to'] as const;
const nearPasscodes: Rows<ChangeRow> = {
  'passcode-empty': ['an empty text', () => ''],
  'passcode-cut': ['the stored passcode without its last character', (right) => right.slice(0, -1)],
  'passcode-reversed': ['the stored passcode backwards', reversed],
  'passcode-other-case': ['the stored passcode with upper and lower case swapped', swapCase],
  'passcode-line-end': ['the stored passcode and a line end', (right) => `${right}\n`, 'wrong-key'],
  'passcode-space-before': ['the stored passcode behind a space', (right) => ` ${right}`],
  'passcode-space-behind': ['the stored passcode and a space', (right) => `${right} `],
  'passcode-zero-width': [
    'the stored passcode with a zero-width space inside',
    withInside('\u200b'),
  ],
  'passcode-nul': ['the stored passcode, a NUL and more', (right) => `${right}\0x`, 'wrong-key'],
  'passcode-full-width': [
    'the stored passcode with its letters in full width',
    (right) => right.replace(/[!-~]/g, moved(0xfee0)),
  ],
  'passcode-high-bytes': [
    'the stored passcode with 256 added to the code of each character',
    (right) => right.replace(/[!-~]/g, moved(0x100)),
  ],
  'passcode-kelvin': [
    'the stored passcode with the Kelvin sign in place of K',
    (right) => (/k/i.test(right) ? right.replace(/k/i, '\u212a') : `${right}\u212a`),
  ],
};
const nearOwnPasscodes: Rows<ChangeRow> = {
  'passcode-doubled': ['the stored passcode twice over', (right) => right + right],
  'passcode-end': ['the stored passcode without its first character', (right) => right.slice(1)],
  'passcode-other-end': [
    'the stored passcode with another last character',
    (right) => right.slice(0, -1) + (right.endsWith('x') ? 'y' : 'x'),
  ],
  'passcode-space-inside': ['the stored passcode with a space inside', withInside(' ')],
  'passcode-hyphen-inside': ['the stored passcode with a hyphen inside', withInside('-')],
  'passcode-punctuation': ['hyphens alone', (right) => '-'.repeat(right.length + 1)],
  'passcode-accent': [
    'the stored passcode with an accent on its first letter',
    (right) => right.replace(/^./u, '$&\u0301'),
  ],
  'passcode-percent': ['"%"', () => '%'],
  'passcode-pattern': ['".*"', () => '.*'],
  'passcode-number-like': [
    'another text that looks like the same number',
    () => '0e730083585098205672038412874110',
  ],
};

/** The passcode that comes back (section 4.2.2). */
const passcodes: readonly WrongResponse[] = [
  ...changes(decrypted, undefined, 'passcode-mismatch', {
    'wrong-passcode': ['the stored passcode and a 0', (right) => `${right}0`],
  }),
  ...rows('authenticate', 'rejects-wrong-passcode', 'passcode-mismatch', {
    'passcode-other': {
      passcode: (right, { randomBytes }) => randomText(right.length || 1, randomBytes),
    },
  }),
  ...changes(decrypted, 'compares-exactly', 'passcode-mismatch', nearPasscodes),
  ...changes(decrypted, 'compares-exactly', 'passcode-mismatch', nearOwnPasscodes).map((row) => ({
    ...row,
    needsOwnPasscode: true,
  })),
];

/** `ptn_sp` itself (section 4.2.2). */
const payloads: readonly WrongResponse[] = [
  ...rows('authenticate', undefined, 'bad-padding', {
    'ptn-sp-other-cipher': {
      ptnSp: (_, seen) => encrypt(passcodeIn(seen), { ...seen, cipher: otherCipher(seen) }),
      diagnosis: 'cipher-mismatch',
    },
    'ptn-sp-other-key': { ptnSp: (_, seen) => encrypt(passcodeIn(seen), withOtherKey(seen)) },
    'ptn-sp-of-another-key': {
      ptnSp: (_, seen) => encrypt(randomText(24, seen.randomBytes), withOtherKey(seen)),
    },
    'ptn-sp-garbled': { ptnSp: (right) => `{${right}}`, diagnosis: 'field-malformed' },
    'ptn-sp-renamed': {
      ...editResult(renamed('ptn_sp', 'partner_sp')),
      diagnosis: 'field-misplaced',
    },
  }),
  ...rows('authenticate', 'rejects-missing-field', 'field-missing', {
    'authenticate-without-result': {
      ...editSuccess(without('result'), 'authenticate'),
      diagnosis: 'result-missing',
    },
    'ptn-sp-missing': editResult(without('ptn_sp')),
    'ptn-sp-null': {
      ...editResult(withField('ptn_sp', null), 'authenticate'),
      diagnosis: 'field-type',
    },
  }),
  ...rows('authenticate', 'rejects-undecryptable', 'payload-encoding', {
    'ptn-sp-damaged': {
      ptnSp: (right, { cipher }) => damaged(right, cipher),
      diagnosis: 'bad-padding',
    },
    'ptn-sp-tag-damaged': {
      ptnSp: (right, { cipher }) => withDamagedTag(right, cipher),
      diagnosis: 'bad-tag',
    },
    'ptn-sp-empty': { ptnSp: () => '', diagnosis: 'field-malformed' },
    'ptn-sp-cut': {
      ptnSp: (right, { cipher: { encoding } }) => cut(Buffer.from(right, encoding), encoding),
    },
  }),
  ...rows('authenticate', 'decrypts-passcode', 'payload-encoding', {
    'ptn-sp-plain': { ptnSp: (_, seen) => passcodeIn(seen) },
    'ptn-sp-base64': { ptnSp: (_, seen) => encodeBase64(encodeUtf8(passcodeIn(seen))) },
    'ptn-sp-in-message': {
      ...editSuccess(
        (response, seen) => ({ ...response, message: passcodeIn(seen), result: {} }),
        'authenticate',
      ),
      diagnosis: 'field-missing',
    },
  }),
];

/** `code`, `message` and `result` (section 7). */
const envelopes: readonly WrongResponse[] = [
  ...rows('token', undefined, 'code-not-success', {
    'code-number': { ...editSuccess(withField('code', 0)), diagnosis: 'code-not-string' },
    'message-missing': { ...editSuccess(without('message')), diagnosis: 'message-missing' },
    'result-missing': { ...editSuccess(without('result')), diagnosis: 'result-missing' },
    'refuses-token': refuses('token', 'ptn-token'),
  }),
  ...rows('authenticate', undefined, 'code-not-success', {
    'refuses-authenticate': refuses('authenticate', 'acs-token'),
  }),
];

/** What is tried at which calls; a near value that is a matter of one function is tried at one of them. */
type Tried = SigninCall | 'both' | 'neither';
type Edit = (response: JsonObject) => JsonObject;
type CodeRow = readonly [Tried, what: string, edit: Edit, diagnosis?: DiagnosisCode];

const code =
  (value: unknown): Edit =>
  (response) => ({ ...response, code: value });

/** Whole responses of success but for their `code`: each kind of misreading meets one at either call. */
const codes: Rows<Rows<CodeRow>> = {
  'rejects-CALL-code': {
    unknown: ['both', 'code "0001" and a complete result', code('0001')],
  },
  'compares-code-exactly': {
    short: ['authenticate', 'code "0"', code('0')],
    'two-zeros': ['token', 'code "00"', code('00')],
    long: ['authenticate', 'code "00000"', code('00000')],
    decimal: ['token', 'code "0000.0"', code('0000.0')],
    hexadecimal: ['authenticate', 'code "0x0"', code('0x0')],
    signed: ['token', 'code "-000"', code('-000')],
    'minus-zero': ['authenticate', 'code "-0"', code('-0')],
    'digit-before': ['token', 'code "10000"', code('10000')],
    'letter-before': ['authenticate', 'code "x0000"', code('x0000')],
    'space-behind': ['authenticate', 'code "0000" and a space', code('0000 ')],
    'line-end': ['token', 'code "0000" and a line end', code('0000\n')],
    'full-width': ['token', 'code "0000" in full-width digits', code('\uff10'.repeat(4))],
    zero: ['token', 'the number 0 as code', code(0), 'code-not-string'],
    true: ['authenticate', 'true as code', code(true), 'code-not-string'],
    'in-array': ['both', '["0000"] as code', code(['0000']), 'code-not-string'],
    'in-object': ['token', '{"value":"0000"} as code', code({ value: '0000' }), 'code-not-string'],
    behind: [
      'authenticate',
      'code "E999" behind a result that contains the code "0000"',
      codeBehind,
    ],
  },
  'rejects-missing-code': {
    elsewhere: ['both', '"0000" in message and result, and no code', moveCode, 'field-misplaced'],
    empty: ['authenticate', 'an empty code', code('')],
    null: ['neither', 'a code that is null', code(null), 'code-not-string'],
  },
};

type Respond = (right: EmulatorResponse) => EmulatorResponse;
type OutageRow = readonly [what: string, DiagnosisCode, Respond, tried?: Tried];

/** What is met while a service is down, or something is in front of it, after "REQUEST is" where that isn't said. */
const outages: Rows<Rows<OutageRow>> = {
  'rejects-without-service': {
    silent: ['never answered', 'timeout', breaksOff('silence')],
    reset: ['the connection is reset at REQUEST', 'reset', breaksOff('reset')],
    truncated: [
      'the connection is closed in the middle of the response to REQUEST',
      'reset',
      breaksOff('truncate'),
    ],
  },
  'rejects-error-page': {
    html: [
      'answered with HTTP 200 and a page in HTML',
      'html-instead-of-json',
      () => plain(200, '<!DOCTYPE html><title>Maintenance</title><h1>Back soon</h1>', html),
    ],
    'empty-body': ['answered with HTTP 200 and an empty body', 'empty-body', () => plain(200, '')],
    'not-json': [
      'answered with text that only contains "code":"0000"',
      'not-json',
      () => plain(200, 'OK, with "code":"0000"'),
    ],
    'gzip-garbage': [
      'answered with a compressed body that is damaged',
      'not-json',
      ({ headers, ...right }) => ({
        ...right,
        headers: { ...headers, 'content-encoding': 'gzip' },
        body: damagedGzip,
      }),
    ],
  },
  'rejects-error-status': {
    'status-500': [
      'answered with HTTP 500 and an empty body',
      'empty-body',
      () => plain(500, '', {}),
    ],
    'status-502': [
      'answered with HTTP 502 and a page in HTML',
      'html-instead-of-json',
      () => plain(502, '<html><h1>502 Bad Gateway</h1></html>', html),
    ],
    'status-503': [
      'answered with HTTP 503 and code "0000", without a result',
      'result-missing',
      () => plain(503, '{"code":"0000","message":"Service Unavailable"}'),
    ],
  },
  'follows-no-redirect': {
    'redirect-302': redirect('token', 302),
    'redirect-303': redirect('authenticate', 303),
    'redirect-307': redirect('token', 307),
    'redirect-308': redirect('authenticate', 308),
  },
};

/** Every fault of the sign-in half but those of its HTTP. */
export const wrongResponses: readonly WrongResponse[] = [
  ...tokens,
  ...passcodes,
  ...payloads,
  ...envelopes,
  ...(['token', 'authenticate'] as const).flatMap((call) => [
    ...atCall(`${call}-code`, codes, ([tried, what, edit, diagnosis = 'code-not-success']) => {
      const when = `REQUEST is answered with ${what}`;
      return { tried, when, diagnosis, apply: editSuccess(edit, call) };
    }),
    ...atCall(call, outages, ([what, diagnosis, respond, tried = 'both']) => {
      const when = what.includes('REQUEST') ? what : `REQUEST is ${what}`;
      const apply: Hooks<ServicePoints> = {
        response: (right, { operation }) => (operation === call ? respond(right) : right),
      };
      return { tried, when, diagnosis, apply };
    }),
  ]),
];

function atCall<Each>(
  prefix: SigninCall | `${SigninCall}-code`,
  table: Rows<Rows<Each>>,
  read: (row: Each) => Pick<WrongResponse, 'when' | 'diagnosis' | 'apply'> & { tried: Tried },
): readonly WrongResponse[] {
  const call = prefix === 'token' || prefix === 'token-code' ? 'token' : 'authenticate';
  return Object.entries(table).flatMap(([check, group]) =>
    Object.entries(group).flatMap(([name, row]) => {
      const { tried, when, diagnosis, apply } = read(row);
      const isTried = tried === call || tried === 'both';
      const triedBy = isTried ? check.replace('CALL', call) : undefined;
      const sentence = when.replace('REQUEST', `the ${call} request`);
      return wrong(`${prefix}-${name}`, sentence, { call, triedBy, diagnosis, apply });
    }),
  );
}

function moved(distance: number) {
  return (character: string) => String.fromCharCode(character.charCodeAt(0) + distance);
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

function withInside(inserted: string): Change {
  return (text) => {
    const characters = [...text];
    return characters.toSpliced(characters.length >> 1, 0, inserted).join('');
  };
}

function randomText(length: number, randomBytes: SigninSituation['randomBytes']): string {
  return encodeBase64Url(randomBytes(length)).slice(0, length);
}

function passcodeIn({ user }: Situation): string {
  return user?.superPasscode?.reveal() ?? '';
}

function encrypt(text: string, { key, cipher, randomBytes }: SigninSituation): string {
  return encryptPayload(encodeUtf8(text), key, cipher, randomBytes);
}

function withOtherKey(seen: SigninSituation): SigninSituation {
  return { ...seen, key: generatePerUserKey(seen.randomBytes) };
}

function otherCipher({ cipher: { algorithm, encoding } }: SigninSituation): Cipher {
  const ecb: Cipher = { algorithm: 'aes-256-ecb', key: 'utf8', padding: 'pkcs7', encoding };
  return algorithm.endsWith('-ecb') ? { ...ecb, algorithm: 'aes-256-cbc', iv: 'prefix' } : ecb;
}

function cut(bytes: Buffer, encoding: Cipher['encoding']): string {
  return bytes.subarray(0, Math.max(1, bytes.length - 5)).toString(encoding);
}

/**
 * In CBC a bit of the last block but one turns over the same bit of the last: of the padding's
 * length, which is then above any block's.
 */
function damaged(payload: string, { encoding }: Cipher): string {
  const bytes = Buffer.from(payload, encoding);
  const at = Math.max(0, bytes.length - 17);
  bytes[at] = (bytes[at] ?? 0) ^ 0x80;
  return bytes.toString(encoding);
}

function withDamagedTag(payload: string, cipher: Cipher): string {
  const { algorithm, encoding, tag, iv, ivlen } = cipher;
  if (!algorithm.endsWith('-gcm')) return payload;
  const bytes = Buffer.from(payload, encoding);
  const afterIv = iv === 'prefix' ? Number(ivlen ?? 12) : 0;
  const at = tag === 'after-iv' ? afterIv : bytes.length - 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString(encoding);
}

function refuses(operation: SigninCall, name: ServiceRefusal): Hooks<ServicePoints> {
  const refused = refusal(serviceCodes, name, 'The token is not accepted.');
  return { refusal: (right, seen) => right ?? (seen.operation === operation ? refused : right) };
}

/** Not to `CODE` as well: the usual parsers of Go and C# don't distinguish names by their case. */
function moveCode({ code: right, message: _, result }: JsonObject): JsonObject {
  const moved = isJsonObject(result) ? { ...result, code: right } : result;
  return { message: right, result: moved };
}

/** Not two members of the same name: parsers keep the first, keep the last or refuse (RFC 8259 section 4). */
function codeBehind({ code: right, message, result }: JsonObject): JsonObject {
  const first = isJsonObject(result) ? { code: right, ...result } : result;
  return { result: first, message, code: 'E999' };
}

const html = { 'content-type': 'text/html;charset=utf-8' };

/** The header of a gzip file (RFC 1952 section 2.3), and no deflated data. */
const damagedGzip = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff);

function breaksOff(breakOff: 'reset' | 'truncate' | 'silence'): Respond {
  return (right) => ({ ...right, delivery: { breakOff } });
}

function plain(
  status: number,
  body: string,
  headers: EmulatorResponse['headers'] = { 'content-type': contentType },
): EmulatorResponse {
  return { status, headers, body: encodeUtf8(body) };
}

function redirect(tried: SigninCall, status: number): OutageRow {
  const what = `redirected with HTTP ${status} to another server, which accepts everybody`;
  return [what, 'redirect', () => plain(status, '', { location: '/moved' }), tried];
}
