import { createHash } from 'node:crypto';
import { encodeBase64, encodeHex, encodeUtf8 } from '../../bytes.ts';
import { editResult, editSuccess } from './edit.ts';
import {
  defineApplicationFaults,
  type KeyExchangeSituation,
  recall,
  type Situation,
} from './points.ts';

/** Keys of another length or form than 32 characters. */
const wrongForms = defineApplicationFaults({ check: 'key-exchange/key-length' })({
  'key-of-16': {
    title: 'Generates keys of 16 characters',
    diagnosis: 'key-length',
    apply: { key: (right) => right.slice(0, 16) },
  },
  'key-of-33': {
    title: 'Generates keys of 33 characters',
    diagnosis: 'key-length',
    apply: { key: (right) => `${right}x` },
  },
  'key-hex-of-32-bytes': {
    title: 'Generates 32 random bytes, and writes them as 64 hexadecimal digits',
    apply: { key: (_, { randomBytes }) => encodeHex(randomBytes(32)) },
  },
  'key-base64-of-32-bytes': {
    title: 'Generates 32 random bytes, and writes them in Base64: 44 characters',
    apply: { key: (_, { randomBytes }) => encodeBase64(randomBytes(32)) },
  },
  'key-raw-bytes': {
    title: 'Wraps 32 random bytes instead of 32 characters',
    apply: { message: (_, { randomBytes }) => Uint8Array.of(0xff, ...randomBytes(31)) },
  },
  'key-quoted': {
    title: 'Wraps the key with quotation marks around it',
    apply: { message: (_, { key }) => encodeUtf8(JSON.stringify(key)) },
  },
  'key-trailing-newline': {
    title: 'Wraps the key with a line break after it',
    apply: { message: (_, { key }) => encodeUtf8(`${key}\n`) },
  },
  'key-utf16': {
    title: 'Wraps the key in UTF-16',
    apply: { message: (_, { key }) => Buffer.from(key, 'utf16le') },
  },
});

/** Keys that aren't random, or not new. */
const wrongSources = defineApplicationFaults({ check: 'key-exchange/key-is-random' })({
  'key-constant': {
    title: 'Generates keys of one character, repeated 32 times',
    apply: { key: () => '0'.repeat(32) },
  },
  'one-key-for-all': {
    title: 'Uses one key for all users',
    check: 'key-exchange/key-per-user',
    diagnosis: 'key-constant',
    apply: { key: (right, seen) => recall(seen, 'one key for all', () => right) },
  },
  'key-from-pool': {
    title: 'Gives each user one of 16 fixed keys, never the same one twice in a row',
    check: 'key-exchange/key-per-user',
    diagnosis: 'key-repeated',
    apply: { key: (_, seen) => keyFromPool(seen) },
  },
  'key-from-user-code': {
    title: 'Derives the key from the user code (MD5)',
    apply: { key: (_, { ptnCd }) => md5(ptnCd) },
  },
  'key-padded-user-code': {
    title: 'Pads the user code to 32 characters',
    diagnosis: 'key-from-user-code',
    apply: { key: (_, { ptnCd }) => [...ptnCd, ...'0'.repeat(32)].slice(0, 32).join('') },
  },
  'key-from-time': {
    title: 'Derives the key from the time of day',
    diagnosis: 'key-predictable',
    apply: { key: (_, { now }) => String(now).padStart(32, '0') },
  },
  'key-hash-of-time': {
    title: 'Derives the key from the milliseconds since 1970 (MD5)',
    diagnosis: 'key-predictable',
    apply: { key: (_, { now }) => md5(`${now}`) },
  },
  'key-from-code-and-time': {
    title: 'Derives the key from the user code and the milliseconds since 1970 (MD5)',
    diagnosis: 'key-predictable',
    apply: { key: (_, { ptnCd, now }) => md5(`${ptnCd}${now}`) },
  },
  'key-padded-with-spaces': {
    title: 'Generates keys of 12 random characters, padded with spaces',
    diagnosis: 'key-low-entropy',
    apply: { key: (right) => right.slice(0, 12).padEnd(32) },
  },
  'key-from-counter': {
    title: 'Generates the keys from a counter',
    diagnosis: 'key-predictable',
    apply: { key: (_, seen) => String(nextCount(seen)).padStart(32, '0') },
  },
  'key-low-entropy': {
    title: 'Generates keys from two characters only',
    apply: { key: (_, { randomBytes }) => twoCharacters(randomBytes(32)) },
  },
  'key-repeated': {
    title: 'Returns the previous key when a user asks again',
    check: 'key-exchange/new-key-each-time',
    apply: { key: (right, { user }) => user?.key.reveal() ?? right },
  },
});

/** The plain key in the response, beside the wrapped one (section 4.1.1 rule 2). */
const leaks = defineApplicationFaults({
  check: 'key-exchange/plain-key-absent',
  diagnosis: 'key-leaked',
})({
  'leaks-key-in-result': {
    title: 'Adds the plain key to the result',
    apply: editResult((result, { key }) => ({ ...result, partner_key: key })),
  },
  'leaks-key-in-message': {
    title: 'Puts the plain key into the message',
    apply: editSuccess((response, { key }) => ({ ...response, message: `key=${key}` })),
  },
  'leaks-key-in-hex': {
    title: 'Adds the plain key in hexadecimal',
    apply: editSuccess((response, { key = '' }) => ({
      ...response,
      debug: encodeHex(encodeUtf8(key)),
    })),
  },
  'leaks-key-in-header': {
    title: 'Adds the plain key to the headers',
    apply: {
      response: (right, { key, refusal }) =>
        key === undefined || refusal !== undefined
          ? right
          : { ...right, headers: { ...right.headers, 'x-debug-key': key } },
    },
  },
  'leaks-earlier-key': {
    title: "Adds the user's previous key",
    apply: editSuccess((response, { user }) =>
      user ? { ...response, old_key: user.key.reveal() } : response,
    ),
  },
});

/** Faults in the per-user key itself (sections 2.2 and 4.1.1). */
export const keyFaults = [...wrongForms, ...wrongSources, ...leaks];

function nextCount(seen: Situation): number {
  const counter = recall(seen, 'keys counted', () => ({ count: 0 }));
  counter.count += 1;
  return counter.count;
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

const poolSize = 16;

function keyFromPool(seen: KeyExchangeSituation): string {
  const pool = recall(seen, 'keys prepared', () =>
    Array.from({ length: poolSize }, () => encodeHex(seen.randomBytes(16))),
  );
  const counts = recall(seen, 'keys of each user', () => new Map<string, number>());
  const first = Number.parseInt(md5(seen.ptnCd).slice(0, 8), 16);
  const count = counts.get(seen.ptnCd) ?? 0;
  counts.set(seen.ptnCd, count + 1);
  return pool[(first + count) % poolSize] ?? '';
}

/** Half of each, so that the key is never one character throughout. */
function twoCharacters(random: Uint8Array): string {
  return `01${Array.from(random.subarray(2), (octet) => octet & 1).join('')}`;
}
