import { STATUS_CODES } from 'node:http';
import type { Test } from '../../diagnosis/error-causes.ts';
import { type StatusMeaning, statusMeanings } from '../../diagnosis/http-status.ts';
import type { DiagnosisCode, ErrorCode } from '../../errors.ts';
import type { Explanation } from '../../reports/explanation.ts';
import { capitalised } from '../../text.ts';
import { exitStatusMeanings } from '../exit-status.ts';

/* What no catalogue has: the commands that tell causes apart, errors, fields and statuses. */

const verify = (...checks: readonly string[]) =>
  ['authcli verify --url URL', ...checks].join(' --check ');

const signUp = (flags: string) => `authcli simulate-signup --url URL ${flags}`;

/** The commands that distinguish causes; `URL` and `CODE` are those of the user. */
export const testCommands: Readonly<Record<Test, string>> = {
  probe: 'authcli cipher probe --url URL',
  'latest-key': verify('registration/latest-key'),
  'new-key': verify('key-exchange/new-key-each-time'),
  'no-user-info': signUp('--no-user-info'),
  'plain-name': signUp('--name Kim'),
  'unknown-fields': verify('protocol/ignores-unknown-fields'),
  concurrent: verify('protocol/concurrent-signups'),
  'key-exchange': 'authcli simulate-key-exchange --url URL',
  'same-user': 'authcli simulate-registration --url URL --ptn-cd CODE',
  'own-user': signUp('--ptn-cd CODE'),
  'bare-type': signUp("--header 'Content-Type: application/json'"),
  trace: signUp('--trace'),
  'dry-run': signUp('--dry-run'),
  'stored-key': 'authcli users show CODE --show-secrets',
  'inspect-public-key': 'authcli key inspect PUBLIC_KEY',
  ciphers: 'authcli cipher list',
  doctor: 'authcli doctor --url URL',
  load: 'authcli load --url URL --signups 50',
};

/** The published codes of errors that are not diagnoses. */
type OwnErrorCode = Exclude<ErrorCode, DiagnosisCode | 'terminated'>;

const errors: Readonly<Record<OwnErrorCode, Omit<Explanation, 'code' | 'kind'>>> = {
  usage: {
    title: 'The command line or a setting is invalid',
    meaning: 'A flag, an argument or a setting is missing, unknown or invalid. Nothing was sent.',
    recognised: 'Each value is validated before the command starts.',
    fix: 'The message names the value and what is valid. `authcli COMMAND --help` lists every flag with examples. A value may also come from the environment (AUTHCLI_ and its name) or from the profile: `authcli config list` shows which one is used.',
    example:
      '`authcli simulate-signup --url localhost:8080` has no http:// in front. Exit status 2.',
  },
  config: {
    title: "The local state can't be read, parsed, locked or written",
    meaning:
      'Settings and users are stored in files in the config folder. One of them is damaged, from a newer release, or not accessible. It was not changed.',
    recognised:
      'The operating system denies access to the file, or its content was not written by authcli.',
    fix: 'Run `authcli doctor`, which checks the files and their modes. Fix a damaged file by hand, or move it away to start anew; AUTHCLI_CONFIG or --config selects another file for a single run.',
    example: 'The disk is full, or a bracket is missing after a manual edit. Exit status 4.',
  },
  'unknown-user': {
    title: 'No user with that code is stored',
    meaning: 'The active profile has neither a key nor a passcode for that user.',
    recognised: 'The config folder of the profile has no file for that user.',
    fix: 'Run `authcli users list`; users belong to a profile (--profile). Sign the user up with `authcli simulate-signup --ptn-cd CODE`, or import it with `authcli users import`.',
    example: '`authcli users show bob`, after a sign-up with --no-save. Exit status 1.',
  },
  'not-set': {
    title: 'The setting is not set',
    meaning: 'The setting is valid, but this profile has no value for it.',
    recognised: 'Neither the profile nor the environment has a value.',
    fix: 'Set it: `authcli config set NAME VALUE`.',
    example: '`authcli config get proxy`, where none was set. Exit status 1.',
  },
  'unknown-text': {
    title: 'Not a recognised key format',
    meaning:
      'The text was parsed as Base64, hexadecimal, PEM, DER and JWK, and is neither a key nor a wrapped key.',
    recognised: 'No parser accepts it; the notes show where each one failed.',
    fix: 'Give the complete text from the JSON. A public_key begins with "MII"; an enc_partner_key is the Base64 of as many bytes as the RSA modulus has.',
    example: '`authcli key inspect "hello world"`. Exit status 1.',
  },
  'checks-failed': {
    title: 'A run of `verify` failed',
    meaning:
      'Checks failed without a diagnosis code, a known failure no longer fails, or no check could be evaluated.',
    recognised: 'The results of the checks, compared with the file of known failures.',
    fix: 'The report shows what each check expected and observed, and which entries of --expect can be removed; --update-expect rewrites the file.',
    example: 'A check was fixed, but --expect still lists it. Exit status 1.',
  },
  'threshold-missed': {
    title: 'A load missed a threshold',
    meaning:
      'A limit on latency, failures or rate (--max-p99, --max-errors, --min-rate and the like) was exceeded, or nothing was measured.',
    recognised: 'Each limit is compared with the result of the whole run.',
    fix: 'The message names the limit and the measured value. --report html=FILE shows when it was exceeded. If authcli itself was the bottleneck, it says so: use another machine or a lower rate.',
    example:
      '`authcli load --rate 500 --max-p99 50ms`, and the application takes 80 ms. Exit status 1.',
  },
  interrupted: {
    title: 'The run was interrupted',
    meaning:
      'It was interrupted (Ctrl-C, SIGINT) or terminated (SIGTERM). The run did not finish; reports were still written.',
    fix: 'Run it again. If it seemed to hang, --trace shows what it waited for, and --timeout limits each request.',
    example: 'A CI job reached its time limit. Exit status 130 or 143.',
  },
  internal: {
    title: 'A bug in authcli',
    meaning: 'An unexpected error in authcli; it says nothing about your application.',
    fix: 'Run the same command with --verbose and report the bug with the lines that begin with "bug:" (versions, the command line and the stack trace). Secrets are redacted in them, even with --show-secrets, but read them before you share them. --trace adds the requests and responses.',
    example: 'Exit status 70.',
  },
};

export const errorExplanations = Object.entries(errors).map(
  ([code, text]): Explanation => ({ code, kind: 'error', ...text }),
);

interface FieldText extends Pick<Explanation, 'title' | 'meaning' | 'fix' | 'section'> {
  /** That find what is done wrong with it. */
  readonly checks: readonly string[];
}

/** The fields of the interface, by their names on the wire. */
const fields: Readonly<Record<string, FieldText>> = {
  client_id: {
    title: 'The Application Client ID',
    meaning: 'In every request. A callback with another client id is not for this application.',
    fix: 'Compare it exactly, and refuse any other.',
    section: '2.1',
    checks: ['key-exchange/rejects-foreign-client'],
  },
  secret_key: {
    title: 'The secret key of the application server',
    meaning: 'Only in requests to {auth_url}, in the JSON body, together with client_id (5.1).',
    fix: 'Send it from the server only, in the body, never in a URL, header or callback.',
    section: '5',
    checks: ['signin/token-fields', 'signin/secret-in-body-only'],
  },
  ptn_cd: {
    title: 'The application user code',
    meaning:
      'The code under which the application knows the user; keys and passcodes belong to it.',
    fix: 'Store and look up by the whole code, compared exactly.',
    section: '2.1',
    checks: ['protocol/exact-user-code', 'registration/key-of-that-user'],
  },
  used_type: {
    title: 'The kind of callback',
    meaning: '"1" is the key exchange and "2" is registration complete, both at the same URL.',
    fix: 'Branch on the strings "1" and "2", and refuse any other.',
    section: '2.1',
    checks: ['protocol/rejects-unknown-used-type'],
  },
  public_key: {
    title: 'The RSA public key of a key exchange',
    meaning:
      'Base64 of a DER SubjectPublicKeyInfo, without PEM header lines. The application encrypts the per-user key with it.',
    fix: 'Decode the Base64 text and read the bytes as SubjectPublicKeyInfo, in each key exchange anew.',
    section: '2.2',
    checks: ['key-exchange/rejects-bad-public-key', 'key-exchange/key-sizes'],
  },
  enc_partner_key: {
    title: 'The per-user key, encrypted',
    meaning:
      'In result of a key exchange: 32 random characters, encrypted with public_key (PKCS #1 v1.5), as Base64.',
    fix: 'Encrypt the 32 characters with PKCS #1 v1.5 and send the Base64 on one line.',
    section: '2.2',
    checks: ['key-exchange/wraps-key', 'key-exchange/key-length'],
  },
  partner_sp: {
    title: 'The Super Passcode at registration, encrypted',
    meaning:
      'Encrypted with the per-user key; the application decrypts it and stores the result for sign-ins.',
    fix: 'Decrypt it with the key of this ptn_cd, under the cipher that the service specifies.',
    section: '4.1.2',
    checks: ['registration/latest-key', 'registration/rejects-undecryptable'],
  },
  ubifill: {
    title: 'The user information, encrypted',
    meaning:
      'Optional, encrypted like partner_sp. Decrypted it has email, name and phone; its format is not specified.',
    fix: 'Treat it as optional, and do not fail the registration for its format.',
    section: '2.3',
    checks: ['registration/without-user-info', 'registration/unicode-user-info'],
  },
  ptn_token: {
    title: 'The application authentication token',
    meaning: 'Made by the client library on the device, for one sign-in of one user.',
    fix: 'Pass it on unchanged to {auth_url}/process/token, soon.',
    section: '2.1',
    checks: ['signin/both-calls', 'signin/token-fields'],
  },
  acs_token: {
    title: 'The access token',
    meaning: 'From /process/token, for one call of /process/authenticate before expire_dt.',
    fix: 'Send it once, unchanged, in the body.',
    section: '4.2.2',
    checks: ['signin/acs-token-unchanged', 'signin/acs-token-once'],
  },
  expire_dt: {
    title: 'The expiry of the access token',
    meaning: '14 digits, yyyyMMddHH24miss; the time zone is not specified.',
    fix: 'Set the time zone of the service, or rely on the response to authenticate.',
    section: '2.1',
    checks: ['signin/rejects-expired-token'],
  },
  ptn_sp: {
    title: 'The Super Passcode at a sign-in, encrypted',
    meaning:
      'From /process/authenticate. Decrypted with the per-user key it must equal the stored partner_sp.',
    fix: 'Decrypt it with the key of the user, and compare it exactly with the stored passcode.',
    section: '4.2.2',
    checks: ['signin/decrypts-passcode', 'signin/compares-exactly'],
  },
  code: {
    title: 'The result code',
    meaning: 'A string; "0000" is success, and any other value is a refusal.',
    fix: 'Send the string "0000" exactly when the operation has succeeded.',
    section: '7',
    checks: ['key-exchange/response-shape', 'registration/response-shape'],
  },
  message: {
    title: 'The text beside the code',
    meaning:
      'In every response; it may be empty. authcli recognises error texts of libraries in it.',
    fix: 'Send it always, with the reason where code is not "0000".',
    section: '7',
    checks: ['registration/response-shape', 'protocol/error-shape'],
  },
  result: {
    title: 'The payload of a response',
    meaning: 'An object with the fields of the operation; a refusal and a registration have none.',
    fix: 'Put the fields of the operation into an object named result.',
    section: '4',
    checks: ['key-exchange/response-shape'],
  },
};

export const fieldExplanations = Object.entries(fields).map(
  ([code, { checks, ...text }]): Explanation => ({
    code,
    kind: 'field',
    ...text,
    tryIt: checks.every((id) => id.startsWith('signin/'))
      ? `authcli verify --check ${checks.join(' --check ')} --signin -- COMMAND`
      : verify(...checks),
  }),
);

const redirect: StatusMeaning = [
  'The response is a redirect',
  'register the URL that responds itself: https instead of http, with or without the final slash',
];

/** What a status says of a response to a callback. */
const statuses: Readonly<Record<number, StatusMeaning>> = {
  200: ['The body decides', 'read code and message in the body'],
  301: redirect,
  302: redirect,
  303: redirect,
  307: redirect,
  308: redirect,
  ...statusMeanings,
};

/** HTTP statuses of a callback, by their number. */
export const statusExplanations = Object.entries(statuses).map(
  ([code, [cause, fix]]): Explanation => ({
    code,
    kind: 'HTTP status',
    title: `${STATUS_CODES[code] ?? 'Page Expired'}: ${cause}`,
    meaning:
      'The interface specifies no HTTP statuses (section 4): the body decides. A status without a JSON body mostly comes from a framework or proxy, not from the handler.',
    fix: `${capitalised(fix)}.`,
    tryIt: tryStatus(Number(code)),
  }),
);

/** What a proxy or another server says is examined on the way there. */
function tryStatus(status: number): string {
  if (status === 500) return signUp('--app-log FILE');
  return status >= 400 && status < 500 ? signUp('--probe') : testCommands.doctor;
}

type ExitText = Pick<Explanation, 'meaning' | 'fix' | 'tryIt'>;

const exits: Readonly<Record<number, ExitText>> = {
  0: {
    meaning:
      'Everything that was requested was done. A warning is not a failure, unless with --strict.',
    fix: 'Nothing to fix.',
  },
  1: {
    meaning:
      "The application or the service refused or failed, a response is wrong, a key can't be decrypted, or a check failed.",
    fix: 'Read cause and fix on standard error; with --json they are in `error`.',
  },
  2: errors.usage,
  3: {
    meaning: 'No response arrived: DNS, a refused connection, TLS, a proxy or a time limit.',
    fix: 'Start the server, or correct the URL, certificate or proxy that the message names.',
    tryIt: testCommands.doctor,
  },
  4: errors.config,
  70: errors.internal,
  130: errors.interrupted,
  143: errors.interrupted,
};

/** The exit statuses of authcli, by their number. */
export const exitExplanations = exitStatusMeanings.map(([status, title]): Explanation => {
  const { meaning, fix, tryIt } = exits[status] ?? errors.internal;
  const named = { code: String(status), kind: 'exit status', title: capitalised(title) } as const;
  return { ...named, meaning, fix, tryIt };
});
