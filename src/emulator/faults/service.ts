import { encodeUtf8 } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { encryptPayload } from '../../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import { refusal } from '../handling.ts';
import { type ServiceRefusal, serviceCodes } from '../service-codes.ts';
import { editResult, editSuccess, renamed, without } from './edit.ts';
import type { FaultOf, Hooks, ServicePoints, SigninSituation } from './points.ts';

const tokenShape = 'service/token-shape';
const passcode = 'service/returns-passcode';

/** What /process/token returns (section 4.2.1). */
const wrongTokens: readonly FaultOf<ServicePoints>[] = [
  {
    name: 'other-user',
    title: 'Names another user than the ptn_token does',
    check: 'service/names-user',
    diagnosis: 'other-user',
    apply: { ptnCd: (right) => `${right}-other` },
  },
  {
    name: 'acs-token-number',
    title: 'Writes acs_token as a number',
    check: tokenShape,
    diagnosis: 'field-type',
    apply: { value: editToken((result) => ({ ...result, acs_token: 4711 })) },
  },
  {
    name: 'acs-token-missing',
    title: 'Leaves out acs_token',
    check: tokenShape,
    diagnosis: 'field-missing',
    apply: { value: editToken((result) => without(result, 'acs_token')) },
  },
  {
    name: 'acs-token-spoilt',
    title: 'Gives out an acs_token that it does not know afterwards',
    check: 'service/token-works',
    diagnosis: 'code-not-success',
    apply: { acsToken: (right) => [...right].reverse().join('') },
  },
  {
    name: 'expire-dt-iso',
    title: 'Writes expire_dt in ISO 8601',
    check: 'service/expire-dt',
    diagnosis: 'field-malformed',
    apply: {
      expireDt: (right) => right.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6'),
    },
  },
  {
    name: 'expire-dt-hour-24',
    title: 'Counts the hours of expire_dt to 24',
    check: 'service/expire-dt',
    diagnosis: 'field-malformed',
    apply: { expireDt: (right) => `${right.slice(0, 8)}24${right.slice(10)}` },
  },
  {
    name: 'expire-dt-missing',
    title: 'Leaves out expire_dt',
    check: tokenShape,
    diagnosis: 'field-missing',
    apply: { value: editToken((result) => without(result, 'expire_dt')) },
  },
];

/** What /process/authenticate returns (section 4.2.2). */
const wrongPasscodes: readonly FaultOf<ServicePoints>[] = [
  {
    name: 'wrong-passcode',
    title: "Returns another passcode than the user's",
    check: passcode,
    diagnosis: 'passcode-mismatch',
    apply: { passcode: (right) => `${right}0` },
  },
  {
    name: 'ptn-sp-other-cipher',
    title: 'Encrypts the passcode under another cipher than it is set to',
    check: passcode,
    diagnosis: 'cipher-mismatch',
    apply: { ptnSp: (_, seen) => encryptAnew(seen, { cipher: otherCipher(seen.cipher) }) },
  },
  {
    name: 'ptn-sp-other-key',
    title: 'Encrypts the passcode with a key that is not of the user',
    check: passcode,
    diagnosis: 'wrong-key',
    apply: { ptnSp: (_, seen) => encryptAnew(seen, { key: generatePerUserKey(seen.randomBytes) }) },
  },
  {
    name: 'ptn-sp-damaged',
    title: 'Damages a bit of ptn_sp, so that its padding or tag is wrong',
    check: passcode,
    diagnosis: 'bad-padding',
    apply: { ptnSp: (right, { cipher }) => damaged(right, cipher) },
  },
  {
    name: 'ptn-sp-garbled',
    title: 'Writes ptn_sp in characters that no encoding has',
    check: passcode,
    diagnosis: 'field-malformed',
    apply: { ptnSp: (right) => `{${right}}` },
  },
  {
    name: 'ptn-sp-missing',
    title: 'Leaves out ptn_sp',
    check: passcode,
    diagnosis: 'field-missing',
    apply: { value: editPasscode((result) => without(result, 'ptn_sp')) },
  },
  {
    name: 'ptn-sp-renamed',
    title: 'Calls ptn_sp partner_sp, as in the callback',
    check: passcode,
    diagnosis: 'field-misplaced',
    apply: { value: editPasscode((result) => renamed(result, 'ptn_sp', 'partner_sp')) },
  },
];

/** `code`, `message` and `result` of both calls. */
const wrongEnvelopes: readonly FaultOf<ServicePoints>[] = [
  {
    name: 'code-number',
    title: 'Writes code as the number 0',
    check: tokenShape,
    diagnosis: 'code-not-string',
    apply: { value: editSuccess((answer) => ({ ...answer, code: 0 })) },
  },
  {
    name: 'message-missing',
    title: 'Leaves out message',
    check: tokenShape,
    diagnosis: 'message-missing',
    apply: { value: editSuccess((answer) => without(answer, 'message')) },
  },
  {
    name: 'result-missing',
    title: 'Leaves out result',
    check: tokenShape,
    diagnosis: 'result-missing',
    apply: { value: editSuccess((answer) => without(answer, 'result')) },
  },
  {
    name: 'refuses-token',
    title: 'Refuses every ptn_token',
    check: 'service/issues-token',
    diagnosis: 'code-not-success',
    apply: refuses('token', 'ptn-token'),
  },
  {
    name: 'refuses-authenticate',
    title: 'Refuses every acs_token',
    check: 'service/token-works',
    diagnosis: 'code-not-success',
    apply: refuses('authenticate', 'acs-token'),
  },
];

/** Requests that should be refused are accepted. */
const tooLenient: readonly FaultOf<ServicePoints>[] = [
  {
    name: 'accepts-wrong-secret',
    title: 'Does not look at client_id and secret_key',
    check: 'service/rejects-wrong-secret',
    diagnosis: 'accepted-bad-input',
    apply: accepts('client'),
  },
  {
    name: 'accepts-any-ptn-token',
    title: 'Accepts any ptn_token',
    check: 'service/rejects-unknown-ptn-token',
    diagnosis: 'accepted-bad-input',
    apply: accepts('ptn-token', 'ptn-token-expired'),
  },
  {
    name: 'accepts-any-acs-token',
    title: 'Accepts any acs_token',
    check: 'service/rejects-unknown-acs-token',
    diagnosis: 'accepted-bad-input',
    apply: accepts('acs-token'),
  },
  {
    name: 'accepts-used-acs-token',
    title: 'Accepts an acs_token again and again',
    check: 'service/rejects-used-acs-token',
    diagnosis: 'accepted-bad-input',
    apply: accepts('acs-token-used'),
  },
  {
    name: 'accepts-expired-acs-token',
    title: 'Accepts an acs_token after it expired',
    check: 'service/rejects-expired-acs-token',
    diagnosis: 'accepted-bad-input',
    apply: accepts('acs-token-expired'),
  },
];

/** Faults of the sign-in half (section 4.2). */
export const signinFaults = [...wrongTokens, ...wrongPasscodes, ...wrongEnvelopes, ...tooLenient];

type ResultEdit = (result: Readonly<Record<string, unknown>>) => unknown;

function editToken(edit: ResultEdit) {
  return editResult(edit, 'token');
}

function editPasscode(edit: ResultEdit) {
  return editResult(edit, 'authenticate');
}

function accepts(...names: readonly ServiceRefusal[]): Hooks<ServicePoints> {
  return { refusal: (right) => (names.some((name) => name === right?.name) ? undefined : right) };
}

/** Refuses a call whose client and secret are right. */
function refuses(operation: 'token' | 'authenticate', name: ServiceRefusal): Hooks<ServicePoints> {
  const refused = refusal(serviceCodes, name, 'The token is not accepted.');
  return { refusal: (right, seen) => right ?? (seen.operation === operation ? refused : right) };
}

function encryptAnew(
  { user, key, cipher, randomBytes }: SigninSituation,
  other: { readonly key?: string; readonly cipher?: Cipher },
): string {
  const text = encodeUtf8(user?.superPasscode?.reveal() ?? '');
  return encryptPayload(text, other.key ?? key, other.cipher ?? cipher, randomBytes);
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

/** ECB, unless that is what is set. */
function otherCipher({ algorithm, encoding }: Cipher): Cipher {
  const ecb: Cipher = { algorithm: 'aes-256-ecb', key: 'utf8', padding: 'pkcs7', encoding };
  const cbc: Cipher = { ...ecb, algorithm: 'aes-256-cbc', iv: 'prefix' };
  return algorithm.endsWith('-ecb') ? cbc : ecb;
}
