import { encodeUtf8 } from '../../bytes.ts';
import { parseCallbackRequest } from '../../protocol/callbacks.ts';
import { refusal } from '../handling.ts';
import { type ApplicationRefusal, applicationCodes } from '../refusals.ts';
import { accepts } from './edit.ts';
import { type ApplicationPoints, defineApplicationFaults, type Hooks, recall } from './points.ts';

/** Requests that should be refused are accepted. */
const tooLenient = defineApplicationFaults({ diagnosis: 'accepted-bad-input' })({
  'accepts-missing-field': [
    'Accepts a key exchange without ptn_cd or public_key',
    accepts(['field-missing'], 'key-exchange'),
    'key-exchange/rejects-missing-field',
  ],
  'accepts-bad-public-key': [
    'Accepts an invalid public_key',
    accepts(['public-key']),
    'key-exchange/rejects-bad-public-key',
  ],
  'accepts-foreign-client': [
    'Does not check client_id',
    accepts(['foreign-client']),
    'key-exchange/rejects-foreign-client',
  ],
  'accepts-missing-passcode': [
    'Accepts a registration without partner_sp',
    accepts(['field-missing'], 'registration'),
    'registration/rejects-missing-passcode',
  ],
  'never-decrypts': [
    'Accepts any partner_sp without decrypting it',
    accepts(['undecryptable']),
    'never-decrypts',
    'registration/rejects-undecryptable',
  ],
  'accepts-unknown-user': [
    'Accepts a registration without a key exchange before it',
    accepts(['unknown-user']),
    'registration/rejects-unknown-user',
  ],
  'accepts-unknown-used-type': [
    'Accepts any used_type',
    accepts(['used-type']),
    'protocol/rejects-unknown-used-type',
  ],
  'accepts-malformed-json': [
    'Reports success for a body that is not JSON',
    accepts(['not-json']),
    'protocol/rejects-malformed-json',
  ],
});

/** Requests that should be accepted are refused. */
const tooStrict = defineApplicationFaults({ diagnosis: 'code-not-success' })({
  'refuses-unknown-fields': [
    'Refuses a request with a field it does not know',
    refuses('field-type', ({ unknownFields }) => unknownFields > 0),
    'protocol/ignores-unknown-fields',
  ],
  'requires-user-info': [
    'Refuses a registration without ubifill',
    refuses('field-missing', ({ usedType, ubifill }) => usedType === '2' && !ubifill),
    'registration/without-user-info',
  ],
  'refuses-user-info': [
    'Refuses a registration with ubifill',
    refuses('undecryptable', ({ ubifill }) => ubifill !== undefined),
    'registration/answers-success',
  ],
  'fails-on-large-keys': [
    // Base64 of the SubjectPublicKeyInfo: 392 characters for 2048 bits, 564 for 3072.
    'Fails on public keys of more than 2048 bits',
    refuses('public-key', ({ publicKey = '' }) => publicKey.length > 500),
    'key-exchange/key-sizes',
  ],
});

/** Users and their keys are mixed up. */
const confused = defineApplicationFaults({ diagnosis: 'shared-state' })({
  'keeps-first-key': [
    'Returns a new key to a user who asks again, and keeps the old one',
    {
      storedUser: (right, { user }) => (right && user ? { ...right, key: user.key } : right),
    },
    'stale-key',
    'registration/latest-key',
  ],
  'one-slot-for-all': [
    'Keeps only the latest key, for all users',
    { userCode: () => 'everybody' },
    'registration/key-of-that-user',
  ],
  'folds-case': [
    'Treats user codes that differ only in case as equal',
    { userCode: (right) => right.toLowerCase() },
    'protocol/exact-user-code',
  ],
  'cuts-user-code': [
    'Stores only the first 20 characters of a user code',
    { userCode: (right) => right.slice(0, 20) },
    'protocol/exact-user-code',
  ],
  'user-code-in-ascii': [
    'Stores a question mark for each non-ASCII character of a user code',
    { userCode: (right) => right.replace(/[^\0-\x7f]/gu, '?') },
    'protocol/exact-user-code',
  ],
  'user-code-in-latin-1': [
    'Stores a question mark for each character of a user code that Latin-1 lacks',
    { userCode: (right) => right.replace(/[^\0-\xff]/gu, '?') },
    'protocol/exact-user-code',
  ],
  'user-code-in-utf8mb3': [
    'Stores a question mark for each emoji in a user code, as a utf8mb3 column does',
    { userCode: (right) => right.replace(/[\u{10000}-\u{10ffff}]/gu, '?') },
    'protocol/exact-user-code',
  ],
  'drops-marks': [
    'Stores user codes without accents and other marks',
    { userCode: (right) => right.normalize('NFD').replace(/\p{Mn}/gu, '') },
    'protocol/exact-user-code',
  ],
  'normalises-user-code': [
    'Treats user codes that differ only in Unicode normalisation as equal',
    { userCode: (right) => right.normalize('NFC') },
    'protocol/exact-user-code',
  ],
  'forgets-users': [
    'Never stores the key that it returned',
    { storedUser: () => undefined },
    'code-not-success',
    'registration/answers-success',
  ],
});

/** Bad input breaks more than its own response. */
const fragile = defineApplicationFaults({})({
  'crashes-on-malformed-json': [
    'Responds to a body that is not JSON with a stack trace',
    {
      response: (right, { refusal }) => (refusal?.name === 'not-json' ? stackTrace : right),
    },
    'not-json',
    'protocol/error-shape',
  ],
  'dies-of-bad-input': [
    'Stops responding after the first bad request',
    {
      response: (right, seen) => {
        const life = recall(seen, 'life', () => ({ over: false }));
        life.over ||= seen.refusal !== undefined;
        return life.over ? { ...right, delivery: { breakOff: 'reset' } } : right;
      },
    },
    'reset',
    'protocol/survives-bad-input',
  ],
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
