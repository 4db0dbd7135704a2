import { decodeUtf8, encodeUtf8 } from '../../bytes.ts';
import { decryptPayload } from '../../crypto/payload-ciphers.ts';
import { parseCallbackRequest } from '../../protocol/operations.ts';
import { refusal } from '../handling.ts';
import { type ApplicationRefusal, applicationCodes } from '../refusals.ts';
import { accepts, laterThan, overlapping } from './edit.ts';
import { type ApplicationPoints, defineFaults, type Hooks, type Situation } from './points.ts';

/** Requests that should be refused are accepted. */
const tooLenient = defineFaults('accepted-bad-input', {
  'key-exchange/rejects-missing-field': {
    'accepts-missing-field': accepts(['field-missing'], 'key-exchange'),
  },
  'key-exchange/rejects-bad-public-key': {
    'accepts-bad-public-key': accepts(['public-key']),
  },
  'key-exchange/rejects-foreign-client': {
    'accepts-foreign-client': accepts(['foreign-client']),
  },
  'registration/rejects-missing-passcode': {
    'accepts-missing-passcode': accepts(['field-missing'], 'registration'),
  },
  'registration/rejects-undecryptable': {
    'never-decrypts': { ...accepts(['undecryptable']), diagnosis: 'never-decrypts' },
  },
  'registration/rejects-unknown-user': {
    'accepts-unknown-user': accepts(['unknown-user']),
  },
  'protocol/rejects-unknown-used-type': {
    'accepts-unknown-used-type': accepts(['used-type']),
  },
  'protocol/rejects-malformed-json': {
    'accepts-malformed-json': accepts(['not-json']),
  },
});

/** Requests that should be accepted are refused. */
const tooStrict = defineFaults('code-not-success', {
  'protocol/ignores-unknown-fields': {
    'refuses-unknown-fields': refuses(
      'field-type',
      ({ unknownFields }) => Object.keys(unknownFields).length > 0,
    ),
  },
  'registration/without-user-info': {
    'requires-user-info': refuses(
      'field-missing',
      ({ value }) => value.usedType === '2' && !value.ubifill,
    ),
  },
  'registration/answers-success': {
    'refuses-user-info': refuses(
      'undecryptable',
      ({ value }) => value.usedType === '2' && value.ubifill !== undefined,
    ),
  },
  'key-exchange/key-sizes': {
    // Base64 of the SubjectPublicKeyInfo: 392 characters for 2048 bits, 564 for 3072.
    'fails-on-large-keys': refuses(
      'public-key',
      ({ value }) => value.usedType === '1' && value.publicKey.length > 500,
    ),
  },
  'registration/unicode-user-info': {
    'refuses-unicode': {
      value: (right, seen) =>
        isOutsideAscii(seen) ? { code: 'A999', message: 'The name is not valid.' } : right,
    },
  },
});

/** How long a call counts as under way, in milliseconds; its response comes later than that. */
const underWayMs = 100;

/** Users and their keys are mixed up. */
const confused = defineFaults('shared-state', {
  'registration/latest-key': {
    'keeps-first-key': {
      storedKey: (right, { user }) => user?.key.reveal() ?? right,
      diagnosis: 'stale-key',
    },
  },
  'registration/key-of-that-user': {
    'one-slot-for-all': { userCode: () => 'everybody' },
  },
  'protocol/exact-user-code': {
    'folds-case': { userCode: (right) => right.toLowerCase() },
    'cuts-user-code': { userCode: (right) => right.slice(0, 20) },
    'user-code-in-ascii': { userCode: (right) => right.replace(/[^\0-\x7f]/gu, '?') },
    'user-code-in-latin-1': { userCode: (right) => right.replace(/[^\0-\xff]/gu, '?') },
    'user-code-in-utf8mb3': { userCode: (right) => right.replace(/[\u{10000}-\u{10ffff}]/gu, '?') },
    'drops-marks': { userCode: (right) => right.normalize('NFD').replace(/\p{Mn}/gu, '') },
    'normalises-user-code': { userCode: (right) => right.normalize('NFC') },
  },
  'registration/answers-success': {
    'forgets-users': { storedKey: () => undefined, diagnosis: 'code-not-success' },
  },
  'protocol/concurrent-signups': {
    'mixes-up-concurrent-users': () => {
      const besides = overlapping(underWayMs);
      const isExchange = ({ operation }: Situation) => operation === 'key-exchange';
      return {
        userCode: (right, seen) =>
          isExchange(seen) ? (besides(seen).at(-1)?.ptnCd ?? right) : right,
        response: (right, seen) => (isExchange(seen) ? laterThan(underWayMs)(right, seen) : right),
      };
    },
  },
});

/** Bad input breaks more than its own response, or gets a wrong one. */
const fragile = defineFaults(undefined, {
  'protocol/error-shape': {
    'crashes-on-malformed-json': {
      response: (right, { refusal }) => (refusal?.name === 'not-json' ? stackTrace : right),
      diagnosis: 'not-json',
    },
  },
  'protocol/survives-bad-input': {
    'dies-of-bad-input': () => {
      let isDead = false;
      return {
        response: (right, { refusal }) => {
          isDead ||= refusal !== undefined;
          return isDead ? { ...right, delivery: { breakOff: 'reset' } } : right;
        },
        diagnosis: 'reset',
      };
    },
  },
  'protocol/http-status': {
    'redirects-errors': {
      response: (right, { refusal }) =>
        refusal === undefined
          ? right
          : { ...right, status: 303, headers: { ...right.headers, location: '/error' } },
      diagnosis: 'redirect',
    },
  },
});

export const behaviourFaults = [...tooLenient, ...tooStrict, ...confused, ...fragile];

type ValidRequest = Extract<ReturnType<typeof parseCallbackRequest>, { ok: true }>;

function refuses(
  name: ApplicationRefusal,
  dislikes: (request: ValidRequest) => boolean,
): Hooks<ApplicationPoints> {
  const refused = refusal(applicationCodes, name, 'The request is not accepted.');
  return {
    refusal: (right, { request }) => {
      const reading = parseCallbackRequest(request.body);
      return right === undefined && reading.ok && dislikes(reading) ? refused : right;
    },
  };
}

const stackTrace = {
  status: 500,
  headers: { 'content-type': 'text/plain' },
  body: encodeUtf8('SyntaxError: Unexpected token\n    at JSON.parse (<anonymous>)\n'),
};

function isOutsideAscii({ request, user, cipher }: Situation): boolean {
  const reading = parseCallbackRequest(request.body);
  const ubifill = reading.ok && reading.value.usedType === '2' ? reading.value.ubifill : undefined;
  if (ubifill === undefined || user === undefined) return false;
  const result = decryptPayload(ubifill, user.key.reveal(), cipher);
  return result.ok && /[^\p{ASCII}]/u.test(decodeUtf8(result.plaintext) ?? '');
}
