import { encodeUtf8 } from '../../bytes.ts';
import { parseCallbackRequest } from '../../protocol/callback.ts';
import { type ApplicationRefusal, applicationCodes } from '../application-codes.ts';
import { type Refusal, refusal } from '../handling.ts';
import {
  type ApplicationPoints,
  type FaultOf,
  type Hooks,
  recall,
  type Situation,
} from './points.ts';

/** Requests that should be refused are accepted. */
const tooLenient: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'accepts-missing-field',
    title: 'Accepts a key exchange without ptn_cd or public_key',
    check: 'key-exchange/rejects-missing-field',
    diagnosis: 'accepted-bad-input',
    apply: accepts(['field-missing'], 'key-exchange'),
  },
  {
    name: 'accepts-bad-public-key',
    title: 'Accepts a public_key that is none',
    check: 'key-exchange/rejects-bad-public-key',
    diagnosis: 'accepted-bad-input',
    apply: accepts(['public-key']),
  },
  {
    name: 'accepts-foreign-client',
    title: 'Does not look at client_id',
    check: 'key-exchange/rejects-foreign-client',
    diagnosis: 'accepted-bad-input',
    apply: accepts(['foreign-client']),
  },
  {
    name: 'accepts-missing-passcode',
    title: 'Accepts a registration without partner_sp',
    check: 'registration/rejects-missing-passcode',
    diagnosis: 'accepted-bad-input',
    apply: accepts(['field-missing'], 'registration'),
  },
  {
    name: 'never-decrypts',
    title: 'Accepts any partner_sp without decrypting it',
    check: 'registration/rejects-undecryptable',
    diagnosis: 'never-decrypts',
    apply: accepts(['undecryptable']),
  },
  {
    name: 'accepts-unknown-user',
    title: 'Accepts a registration without a key exchange before it',
    check: 'registration/rejects-unknown-user',
    diagnosis: 'accepted-bad-input',
    apply: accepts(['unknown-user']),
  },
  {
    name: 'accepts-unknown-used-type',
    title: 'Accepts any used_type',
    check: 'protocol/rejects-unknown-used-type',
    diagnosis: 'accepted-bad-input',
    apply: accepts(['used-type']),
  },
  {
    name: 'accepts-malformed-json',
    title: 'Answers success to a body that is no JSON',
    check: 'protocol/rejects-malformed-json',
    diagnosis: 'accepted-bad-input',
    apply: accepts(['not-json']),
  },
];

/** Requests that should be accepted are refused. */
const tooStrict: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'refuses-unknown-fields',
    title: 'Refuses a request with a field it does not know',
    check: 'protocol/ignores-unknown-fields',
    diagnosis: 'code-not-success',
    apply: { refusal: refuses('field-type', ({ unknownFields }) => unknownFields > 0) },
  },
  {
    name: 'requires-user-info',
    title: 'Refuses a registration without ubifill',
    check: 'registration/without-user-info',
    diagnosis: 'code-not-success',
    apply: {
      refusal: refuses('field-missing', ({ usedType, ubifill }) => usedType === '2' && !ubifill),
    },
  },
  {
    name: 'refuses-user-info',
    title: 'Refuses a registration with ubifill',
    check: 'registration/answers-success',
    diagnosis: 'code-not-success',
    apply: { refusal: refuses('undecryptable', ({ ubifill }) => ubifill !== undefined) },
  },
  {
    name: 'fails-on-large-keys',
    title: 'Fails on public keys of more than 2048 bits',
    check: 'key-exchange/key-sizes',
    diagnosis: 'code-not-success',
    // Base64 of the SubjectPublicKeyInfo: 392 characters for 2048 bits, 564 for 3072.
    apply: { refusal: refuses('public-key', ({ publicKey = '' }) => publicKey.length > 500) },
  },
];

/** Users and their keys are mixed up. */
const confused: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'keeps-first-key',
    title: 'Returns a new key to a user who asks again, and keeps the old one',
    check: 'registration/latest-key',
    diagnosis: 'stale-key',
    apply: { keptUser: (right, { user }) => (right && user ? { ...right, key: user.key } : right) },
  },
  {
    name: 'one-slot-for-all',
    title: 'Keeps only the latest key, whoever it belongs to',
    check: 'registration/key-of-that-user',
    diagnosis: 'shared-state',
    apply: { userCode: () => 'everybody' },
  },
  {
    name: 'folds-case',
    title: 'Takes user codes that differ in case for one',
    check: 'protocol/exact-user-code',
    diagnosis: 'shared-state',
    apply: { userCode: (right) => right.toLowerCase() },
  },
  {
    name: 'cuts-user-code',
    title: 'Keeps the first 20 characters of a user code',
    check: 'protocol/exact-user-code',
    diagnosis: 'shared-state',
    apply: { userCode: (right) => right.slice(0, 20) },
  },
  {
    name: 'user-code-in-ascii',
    title: 'Keeps a question mark for each character outside ASCII in a user code',
    check: 'protocol/exact-user-code',
    diagnosis: 'shared-state',
    apply: { userCode: (right) => right.replace(/[^\0-\x7f]/gu, '?') },
  },
  {
    name: 'forgets-users',
    title: 'Never stores the key that it returned',
    check: 'registration/answers-success',
    diagnosis: 'code-not-success',
    apply: { keptUser: () => undefined },
  },
];

/** Bad input breaks more than its own answer. */
const fragile: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'crashes-on-malformed-json',
    title: 'Answers a body that is no JSON with a stack trace',
    check: 'protocol/error-shape',
    diagnosis: 'not-json',
    apply: { answer: (right, { refusal }) => (isNoJson(refusal) ? stackTrace : right) },
  },
  {
    name: 'dies-of-bad-input',
    title: 'Answers nothing any more after the first bad request',
    check: 'protocol/survives-bad-input',
    diagnosis: 'reset',
    apply: {
      answer: (right, seen) => {
        const life = recall(seen, 'life', () => ({ over: false }));
        life.over ||= seen.refusal !== undefined;
        return life.over ? { ...right, delivery: { breakOff: 'reset' } } : right;
      },
    },
  },
];

/** Faults in what the application does with a request (section 4.1). */
export const behaviourFaults = [...tooLenient, ...tooStrict, ...confused, ...fragile];

function accepts(
  names: readonly ApplicationRefusal[],
  operation?: Situation['operation'],
): Hooks<ApplicationPoints> {
  const concerns = (right: Refusal | undefined, seen: Situation) =>
    names.some((name) => name === right?.name) &&
    (operation === undefined || operation === seen.operation);
  return { refusal: (right, seen) => (concerns(right, seen) ? undefined : right) };
}

/** What a picky application looks at in a request that is right. */
interface Traits {
  readonly usedType: string;
  readonly ubifill?: string;
  readonly publicKey?: string;
  readonly unknownFields: number;
}

function refuses(name: ApplicationRefusal, dislikes: (traits: Traits) => boolean) {
  return (right: Refusal | undefined, { request }: Situation): Refusal | undefined => {
    const reading = parseCallbackRequest(request.body);
    if (right !== undefined || !reading.ok) return right;
    const unknownFields = Object.keys(reading.unknownFields).length;
    const disliked = dislikes({ ...reading.value, unknownFields });
    return disliked ? refusal(applicationCodes, name, 'The request is not accepted.') : right;
  };
}

function isNoJson(refused: Refusal | undefined): boolean {
  const name: ApplicationRefusal = 'not-json';
  return refused?.name === name;
}

const stackTrace = {
  status: 500,
  headers: { 'content-type': 'text/plain' },
  body: encodeUtf8('SyntaxError: Unexpected token\n    at JSON.parse (<anonymous>)\n'),
};
