import { createHash } from 'node:crypto';
import { encodeBase64, encodeHex, encodeUtf8 } from '../../bytes.ts';
import { editResult, editSuccess } from './edit.ts';
import { type ApplicationPoints, type FaultOf, recall, type Situation } from './points.ts';

/** Keys of another length or form than 32 characters. */
const wrongForms: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'key-of-16',
    title: 'Makes keys of 16 characters',
    check: 'key-exchange/key-length',
    diagnosis: 'key-length',
    apply: { key: (right) => right.slice(0, 16) },
  },
  {
    name: 'key-of-33',
    title: 'Makes keys of 33 characters',
    check: 'key-exchange/key-length',
    diagnosis: 'key-length',
    apply: { key: (right) => `${right}x` },
  },
  {
    name: 'key-hex-of-32-bytes',
    title: 'Makes 32 random bytes and writes them as 64 hexadecimal digits',
    check: 'key-exchange/key-length',
    diagnosis: 'key-hex-of-32-bytes',
    apply: { key: (_, { randomBytes }) => encodeHex(randomBytes(32)) },
  },
  {
    name: 'key-base64-of-32-bytes',
    title: 'Makes 32 random bytes and writes them in Base64: 44 characters',
    check: 'key-exchange/key-length',
    diagnosis: 'key-base64-of-32-bytes',
    apply: { key: (_, { randomBytes }) => encodeBase64(randomBytes(32)) },
  },
  {
    name: 'key-raw-bytes',
    title: 'Wraps 32 random bytes instead of 32 characters',
    check: 'key-exchange/key-length',
    diagnosis: 'key-raw-bytes',
    apply: { message: (_, { randomBytes }) => Uint8Array.of(0xff, ...randomBytes(31)) },
  },
  {
    name: 'key-quoted',
    title: 'Wraps the key with quotation marks around it',
    check: 'key-exchange/key-length',
    diagnosis: 'key-quoted',
    apply: { message: (_, { key }) => encodeUtf8(JSON.stringify(key)) },
  },
  {
    name: 'key-trailing-newline',
    title: 'Wraps the key with a line break after it',
    check: 'key-exchange/key-length',
    diagnosis: 'key-trailing-newline',
    apply: { message: (_, { key }) => encodeUtf8(`${key}\n`) },
  },
  {
    name: 'key-utf16',
    title: 'Wraps the key in UTF-16',
    check: 'key-exchange/key-length',
    diagnosis: 'key-utf16',
    apply: { message: (_, { key }) => Buffer.from(key, 'utf16le') },
  },
];

/** Keys that aren't random, or not new. */
const wrongSources: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'key-constant',
    title: 'Makes keys of one character, 32 times',
    check: 'key-exchange/key-is-random',
    diagnosis: 'key-constant',
    apply: { key: () => '0'.repeat(32) },
  },
  {
    name: 'one-key-for-all',
    title: 'Has one key for all users',
    check: 'key-exchange/key-per-user',
    diagnosis: 'key-constant',
    apply: { key: (right, seen) => recall(seen, 'one key for all', () => right) },
  },
  {
    name: 'key-from-user-code',
    title: 'Makes the key from the user code (MD5)',
    check: 'key-exchange/key-is-random',
    diagnosis: 'key-from-user-code',
    apply: { key: (_, { ptnCd }) => createHash('md5').update(ptnCd).digest('hex') },
  },
  {
    name: 'key-padded-user-code',
    title: 'Fills the user code up to 32 characters',
    check: 'key-exchange/key-is-random',
    diagnosis: 'key-from-user-code',
    apply: { key: (_, { ptnCd }) => ptnCd.slice(0, 32).padEnd(32, '0') },
  },
  {
    name: 'key-from-time',
    title: 'Makes the key from the time of day',
    check: 'key-exchange/key-is-random',
    diagnosis: 'key-predictable',
    apply: { key: (_, { now }) => String(now).padStart(32, '0') },
  },
  {
    name: 'key-from-counter',
    title: 'Counts the keys',
    check: 'key-exchange/key-is-random',
    diagnosis: 'key-predictable',
    apply: { key: (_, seen) => String(nextCount(seen)).padStart(32, '0') },
  },
  {
    name: 'key-low-entropy',
    title: 'Makes keys of two characters only',
    check: 'key-exchange/key-is-random',
    diagnosis: 'key-low-entropy',
    apply: { key: (_, { randomBytes }) => twoCharacters(randomBytes(32)) },
  },
  {
    name: 'key-repeated',
    title: 'Returns the key of before when a user asks again',
    check: 'key-exchange/new-key-each-time',
    diagnosis: 'key-repeated',
    apply: { key: (right, { user }) => user?.key.reveal() ?? right },
  },
];

/** The plain key in the answer, beside the wrapped one (section 4.1.1 rule 2). */
const leaks: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'leaks-key-in-result',
    title: 'Adds the plain key to the result',
    check: 'key-exchange/plain-key-absent',
    diagnosis: 'key-leaked',
    apply: { value: editResult((result, { key }) => ({ ...result, partner_key: key })) },
  },
  {
    name: 'leaks-key-in-message',
    title: 'Says the plain key in the message',
    check: 'key-exchange/plain-key-absent',
    diagnosis: 'key-leaked',
    apply: { value: editSuccess((answer, { key }) => ({ ...answer, message: `key=${key}` })) },
  },
  {
    name: 'leaks-key-in-hex',
    title: 'Adds the plain key in hexadecimal',
    check: 'key-exchange/plain-key-absent',
    diagnosis: 'key-leaked',
    apply: {
      value: editSuccess((answer, { key = '' }) => ({
        ...answer,
        debug: encodeHex(encodeUtf8(key)),
      })),
    },
  },
  {
    name: 'leaks-key-in-header',
    title: 'Adds the plain key to the headers',
    check: 'key-exchange/plain-key-absent',
    diagnosis: 'key-leaked',
    apply: {
      answer: (right, { key, refusal }) =>
        key === undefined || refusal !== undefined
          ? right
          : { ...right, headers: { ...right.headers, 'x-debug-key': key } },
    },
  },
  {
    name: 'leaks-earlier-key',
    title: 'Adds the key that the user had before',
    check: 'key-exchange/plain-key-absent',
    diagnosis: 'key-leaked',
    apply: {
      value: editSuccess((answer, { user }) =>
        user ? { ...answer, old_key: user.key.reveal() } : answer,
      ),
    },
  },
];

/** Faults in the per-user key itself (sections 2.2 and 4.1.1). */
export const keyFaults = [...wrongForms, ...wrongSources, ...leaks];

function nextCount(seen: Situation): number {
  const counter = recall(seen, 'keys counted', () => ({ count: 0 }));
  counter.count += 1;
  return counter.count;
}

/** Half of each, so that the key is never one character throughout. */
function twoCharacters(random: Uint8Array): string {
  return `01${Array.from(random.subarray(2), (octet) => octet & 1).join('')}`;
}
