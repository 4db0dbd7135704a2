import { encodeUtf8 } from '../../bytes.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { encryptPayload } from '../../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import { dayMs, formatExpireDt } from '../../protocol/expiry.ts';
import { refusal } from '../handling.ts';
import { type ServiceRefusal, serviceCodes } from '../refusals.ts';
import { editResult, editSuccess, renamed, withField, without } from './edit.ts';
import {
  defineServiceFaults,
  type Hooks,
  type ServicePoints,
  type SigninSituation,
} from './points.ts';

/** Section 4.2.1. */
const wrongTokens = defineServiceFaults({})({
  'other-user': {
    title: 'Names a user other than that of the ptn_token',
    apply: { ptnCd: (right) => `${right}-other` },
  },
  'acs-token-number': {
    title: 'Writes acs_token as a number',
    diagnosis: 'field-type',
    apply: editResult(withField('acs_token', 4711), 'token'),
  },
  'acs-token-missing': {
    title: 'Leaves out acs_token',
    diagnosis: 'field-missing',
    apply: editResult(without('acs_token'), 'token'),
  },
  'acs-token-corrupted': {
    title: 'Issues an acs_token that it does not accept afterwards',
    diagnosis: 'code-not-success',
    apply: { acsToken: (right) => [...right].reverse().join('') },
  },
  'expire-dt-iso': {
    title: 'Writes expire_dt in ISO 8601',
    diagnosis: 'field-malformed',
    apply: {
      expireDt: (right) => right.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6'),
    },
  },
  'expire-dt-hour-24': {
    title: 'Counts the hours of expire_dt to 24',
    diagnosis: 'field-malformed',
    apply: { expireDt: (right) => `${right.slice(0, 8)}24${right.slice(10)}` },
  },
  'expire-dt-past': {
    title: 'Issues tokens whose expire_dt was two days ago',
    diagnosis: 'field-malformed',
    apply: {
      expireDt: (_, { now }) => formatExpireDt(new Date(now - 2 * dayMs), 'UTC'),
    },
  },
  'expire-dt-missing': {
    title: 'Leaves out expire_dt',
    diagnosis: 'field-missing',
    apply: editResult(without('expire_dt'), 'token'),
  },
});

/** Section 4.2.2. */
const wrongPasscodes = defineServiceFaults({})({
  'wrong-passcode': {
    title: "Returns a passcode other than the user's",
    diagnosis: 'passcode-mismatch',
    apply: { passcode: (right) => `${right}0` },
  },
  'ptn-sp-other-cipher': {
    title: 'Encrypts the passcode with a cipher other than the configured one',
    diagnosis: 'cipher-mismatch',
    apply: { ptnSp: (_, seen) => encryptAnew(seen, { cipher: otherCipher(seen.cipher) }) },
  },
  'ptn-sp-other-key': {
    title: "Encrypts the passcode with a key that is not the user's",
    diagnosis: 'bad-padding',
    apply: { ptnSp: (_, seen) => encryptAnew(seen, { key: generatePerUserKey(seen.randomBytes) }) },
  },
  'ptn-sp-damaged': {
    title: 'Flips a bit of ptn_sp, so that its padding or tag is wrong',
    diagnosis: 'bad-padding',
    apply: { ptnSp: (right, { cipher }) => damaged(right, cipher) },
  },
  'ptn-sp-garbled': {
    title: 'Writes ptn_sp with characters that no encoding uses',
    diagnosis: 'field-malformed',
    apply: { ptnSp: (right) => `{${right}}` },
  },
  'ptn-sp-missing': {
    title: 'Leaves out ptn_sp',
    diagnosis: 'field-missing',
    apply: editResult(without('ptn_sp'), 'authenticate'),
  },
  'ptn-sp-renamed': {
    title: 'Sends ptn_sp as partner_sp, as in the callback',
    diagnosis: 'field-misplaced',
    apply: editResult(renamed('ptn_sp', 'partner_sp'), 'authenticate'),
  },
});

/** `code`, `message` and `result` of both calls. */
const wrongEnvelopes = defineServiceFaults({})({
  'code-number': {
    title: 'Writes code as the number 0',
    diagnosis: 'code-not-string',
    apply: editSuccess(withField('code', 0)),
  },
  'message-missing': {
    title: 'Leaves out message',
    apply: editSuccess(without('message')),
  },
  'result-missing': {
    title: 'Leaves out result',
    apply: editSuccess(without('result')),
  },
  'refuses-token': {
    title: 'Refuses every ptn_token',
    diagnosis: 'code-not-success',
    apply: refuses('token', 'ptn-token'),
  },
  'refuses-authenticate': {
    title: 'Refuses every acs_token',
    diagnosis: 'code-not-success',
    apply: refuses('authenticate', 'acs-token'),
  },
});

/** Faults of the sign-in half (section 4.2). */
export const signinFaults = [...wrongTokens, ...wrongPasscodes, ...wrongEnvelopes];

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

function otherCipher({ algorithm, encoding }: Cipher): Cipher {
  const ecb: Cipher = { algorithm: 'aes-256-ecb', key: 'utf8', padding: 'pkcs7', encoding };
  const cbc: Cipher = { ...ecb, algorithm: 'aes-256-cbc', iv: 'prefix' };
  return algorithm.endsWith('-ecb') ? cbc : ecb;
}
