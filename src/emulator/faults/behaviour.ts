import { encodeUtf8 } from '../../bytes.ts';
import { parseCallbackRequest } from '../../protocol/callbacks.ts';
import { refusal } from '../handling.ts';
import { type ApplicationRefusal, applicationCodes } from '../refusals.ts';
import { accepts } from './edit.ts';
import { type ApplicationPoints, defineApplicationFaults, type Hooks, recall } from './points.ts';

/** Requests that should be refused are accepted. */
const tooLenient = defineApplicationFaults({ diagnosis: 'accepted-bad-input' })({
  'accepts-missing-field': {
    title: 'Accepts a key exchange without ptn_cd or public_key',
    check: 'key-exchange/rejects-missing-field',
    apply: accepts(['field-missing'], 'key-exchange'),
  },
  'accepts-bad-public-key': {
    title: 'Accepts an invalid public_key',
    check: 'key-exchange/rejects-bad-public-key',
    apply: accepts(['public-key']),
  },
  'accepts-foreign-client': {
    title: 'Does not check client_id',
    check: 'key-exchange/rejects-foreign-client',
    apply: accepts(['foreign-client']),
  },
  'accepts-missing-passcode': {
    title: 'Accepts a registration without partner_sp',
    check: 'registration/rejects-missing-passcode',
    apply: accepts(['field-missing'], 'registration'),
  },
  'never-decrypts': {
    title: 'Accepts any partner_sp without decrypting it',
    check: 'registration/rejects-undecryptable',
    diagnosis: 'never-decrypts',
    apply: accepts(['undecryptable']),
  },
  'accepts-unknown-user': {
    title: 'Accepts a registration without a key exchange before it',
    check: 'registration/rejects-unknown-user',
    apply: accepts(['unknown-user']),
  },
  'accepts-unknown-used-type': {
    title: 'Accepts any used_type',
    check: 'protocol/rejects-unknown-used-type',
    apply: accepts(['used-type']),
  },
  'accepts-malformed-json': {
    title: 'Reports success for a body that is not JSON',
    check: 'protocol/rejects-malformed-json',
    apply: accepts(['not-json']),
  },
});

/** Requests that should be accepted are refused. */
const tooStrict = defineApplicationFaults({ diagnosis: 'code-not-success' })({
  'refuses-unknown-fields': {
    title: 'Refuses a request with a field it does not know',
    check: 'protocol/ignores-unknown-fields',
    apply: refuses('field-type', ({ unknownFields }) => unknownFields > 0),
  },
  'requires-user-info': {
    title: 'Refuses a registration without ubifill',
    check: 'registration/without-user-info',
    apply: refuses('field-missing', ({ usedType, ubifill }) => usedType === '2' && !ubifill),
  },
  'refuses-user-info': {
    title: 'Refuses a registration with ubifill',
    check: 'registration/answers-success',
    apply: refuses('undecryptable', ({ ubifill }) => ubifill !== undefined),
  },
  'fails-on-large-keys': {
    title: 'Fails on public keys of more than 2048 bits',
    check: 'key-exchange/key-sizes',
    // Base64 of the SubjectPublicKeyInfo: 392 characters for 2048 bits, 564 for 3072.
    apply: refuses('public-key', ({ publicKey = '' }) => publicKey.length > 500),
  },
});

/** Users and their keys are mixed up. */
const confused = defineApplicationFaults({ diagnosis: 'shared-state' })({
  'keeps-first-key': {
    title: 'Returns a new key to a user who asks again, and keeps the old one',
    check: 'registration/latest-key',
    diagnosis: 'stale-key',
    apply: {
      storedUser: (right, { user }) => (right && user ? { ...right, key: user.key } : right),
    },
  },
  'one-slot-for-all': {
    title: 'Keeps only the latest key, for all users',
    check: 'registration/key-of-that-user',
    apply: { userCode: () => 'everybody' },
  },
  'folds-case': {
    title: 'Treats user codes that differ only in case as equal',
    check: 'protocol/exact-user-code',
    apply: { userCode: (right) => right.toLowerCase() },
  },
  'cuts-user-code': {
    title: 'Stores only the first 20 characters of a user code',
    check: 'protocol/exact-user-code',
    apply: { userCode: (right) => right.slice(0, 20) },
  },
  'user-code-in-ascii': {
    title: 'Stores a question mark for each non-ASCII character of a user code',
    check: 'protocol/exact-user-code',
    apply: { userCode: (right) => right.replace(/[^\0-\x7f]/gu, '?') },
  },
  'user-code-in-latin-1': {
    title: 'Stores a question mark for each character of a user code that Latin-1 lacks',
    check: 'protocol/exact-user-code',
    apply: { userCode: (right) => right.replace(/[^\0-\xff]/gu, '?') },
  },
  'user-code-in-utf8mb3': {
    title: 'Stores a question mark for each emoji in a user code, as a utf8mb3 column does',
    check: 'protocol/exact-user-code',
    apply: { userCode: (right) => right.replace(/[\u{10000}-\u{10ffff}]/gu, '?') },
  },
  'drops-marks': {
    title: 'Stores user codes without accents and other marks',
    check: 'protocol/exact-user-code',
    apply: { userCode: (right) => right.normalize('NFD').replace(/\p{Mn}/gu, '') },
  },
  'normalises-user-code': {
    title: 'Treats user codes that differ only in Unicode normalisation as equal',
    check: 'protocol/exact-user-code',
    apply: { userCode: (right) => right.normalize('NFC') },
  },
  'forgets-users': {
    title: 'Never stores the key that it returned',
    check: 'registration/answers-success',
    diagnosis: 'code-not-success',
    apply: { storedUser: () => undefined },
  },
});

/** Bad input breaks more than its own response. */
const fragile = defineApplicationFaults({})({
  'crashes-on-malformed-json': {
    title: 'Responds to a body that is not JSON with a stack trace',
    check: 'protocol/error-shape',
    diagnosis: 'not-json',
    apply: {
      response: (right, { refusal }) => (refusal?.name === 'not-json' ? stackTrace : right),
    },
  },
  'dies-of-bad-input': {
    title: 'Stops responding after the first bad request',
    check: 'protocol/survives-bad-input',
    diagnosis: 'reset',
    apply: {
      response: (right, seen) => {
        const life = recall(seen, 'life', () => ({ over: false }));
        life.over ||= seen.refusal !== undefined;
        return life.over ? { ...right, delivery: { breakOff: 'reset' } } : right;
      },
    },
  },
});

/** Faults in what the application does with a request (section 4.1). */
export const behaviourFaults = [...tooLenient, ...tooStrict, ...confused, ...fragile];

/** What an application may dislike in a valid request. */
interface Traits {
  readonly usedType: string;
  readonly ubifill?: string;
  readonly publicKey?: string;
  readonly unknownFields: number;
}

function refuses(
  name: ApplicationRefusal,
  dislikes: (traits: Traits) => boolean,
): Hooks<ApplicationPoints> {
  const refused = refusal(applicationCodes, name, 'The request is not accepted.');
  return {
    refusal: (right, { request }) => {
      const reading = parseCallbackRequest(request.body);
      if (right !== undefined || !reading.ok) return right;
      const unknownFields = Object.keys(reading.unknownFields).length;
      return dislikes({ ...reading.value, unknownFields }) ? refused : right;
    },
  };
}

const stackTrace = {
  status: 500,
  headers: { 'content-type': 'text/plain' },
  body: encodeUtf8('SyntaxError: Unexpected token\n    at JSON.parse (<anonymous>)\n'),
};
