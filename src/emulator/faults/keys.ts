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
  'key-of-16': [
    'Generates keys of 16 characters',
    { key: (right) => right.slice(0, 16) },
    'key-length',
  ],
  'key-of-33': ['Generates keys of 33 characters', { key: (right) => `${right}x` }, 'key-length'],
  'key-hex-of-32-bytes': [
    'Generates 32 random bytes, and writes them as 64 hexadecimal digits',
    { key: (_, { randomBytes }) => encodeHex(randomBytes(32)) },
  ],
  'key-base64-of-32-bytes': [
    'Generates 32 random bytes, and writes them in Base64: 44 characters',
    { key: (_, { randomBytes }) => encodeBase64(randomBytes(32)) },
  ],
  'key-raw-bytes': [
    'Wraps 32 random bytes instead of 32 characters',
    { message: (_, { randomBytes }) => Uint8Array.of(0xff, ...randomBytes(31)) },
  ],
  'key-quoted': [
    'Wraps the key with quotation marks around it',
    { message: (_, { key }) => encodeUtf8(JSON.stringify(key)) },
  ],
  'key-trailing-newline': [
    'Wraps the key with a line break after it',
    { message: (_, { key }) => encodeUtf8(`${key}\n`) },
  ],
  'key-utf16': [
    'Wraps the key in UTF-16',
    { message: (_, { key }) => Buffer.from(key, 'utf16le') },
  ],
});

/** Keys that aren't random, or not new. */
const wrongSources = defineApplicationFaults({ check: 'key-exchange/key-is-random' })({
  'key-constant': [
    'Generates keys of one character, repeated 32 times',
    { key: () => '0'.repeat(32) },
  ],
  'one-key-for-all': [
    'Uses one key for all users',
    { key: (right, seen) => recall(seen, 'one key for all', () => right) },
    'key-constant',
    'key-exchange/key-per-user',
  ],
  'key-from-pool': [
    'Gives each user one of 16 fixed keys, never the same one twice in a row',
    { key: (_, seen) => keyFromPool(seen) },
    'key-repeated',
    'key-exchange/key-per-user',
  ],
  'key-from-user-code': [
    'Derives the key from the user code (MD5)',
    { key: (_, { ptnCd }) => md5(ptnCd) },
  ],
  'key-padded-user-code': [
    'Pads the user code to 32 characters',
    { key: (_, { ptnCd }) => [...ptnCd, ...'0'.repeat(32)].slice(0, 32).join('') },
    'key-from-user-code',
  ],
  'key-from-time': [
    'Derives the key from the time of day',
    { key: (_, { now }) => String(now).padStart(32, '0') },
    'key-predictable',
  ],
  'key-hash-of-time': [
    'Derives the key from the milliseconds since 1970 (MD5)',
    { key: (_, { now }) => md5(`${now}`) },
    'key-predictable',
  ],
  'key-from-code-and-time': [
    'Derives the key from the user code and the milliseconds since 1970 (MD5)',
    { key: (_, { ptnCd, now }) => md5(`${ptnCd}${now}`) },
    'key-predictable',
  ],
  'key-padded-with-spaces': [
    'Generates keys of 12 random characters, padded with spaces',
    { key: (right) => right.slice(0, 12).padEnd(32) },
    'key-low-entropy',
  ],
  'key-from-counter': [
    'Generates the keys from a counter',
    { key: (_, seen) => String(nextCount(seen)).padStart(32, '0') },
    'key-predictable',
  ],
  'key-low-entropy': [
    'Generates keys from two characters only',
    { key: (_, { randomBytes }) => twoCharacters(randomBytes(32)) },
  ],
  'key-repeated': [
    'Returns the previous key when a user asks again',
    { key: (right, { user }) => user?.key.reveal() ?? right },
    'key-exchange/new-key-each-time',
  ],
});

/** The plain key in the response, beside the wrapped one (section 4.1.1 rule 2). */
const leaks = defineApplicationFaults({
  check: 'key-exchange/plain-key-absent',
  diagnosis: 'key-leaked',
})({
  'leaks-key-in-result': [
    'Adds the plain key to the result',
    editResult((result, { key }) => ({ ...result, partner_key: key })),
  ],
  'leaks-key-in-message': [
    'Puts the plain key into the message',
    editSuccess((response, { key }) => ({ ...response, message: `key=${key}` })),
  ],
  'leaks-key-in-hex': [
    'Adds the plain key in hexadecimal',
    editSuccess((response, { key = '' }) => ({
      ...response,
      debug: encodeHex(encodeUtf8(key)),
    })),
  ],
  'leaks-key-in-header': [
    'Adds the plain key to the headers',
    {
      response: (right, { key, refusal }) =>
        key === undefined || refusal !== undefined
          ? right
          : { ...right, headers: { ...right.headers, 'x-debug-key': key } },
    },
  ],
  'leaks-earlier-key': [
    "Adds the user's previous key",
    editSuccess((response, { user }) =>
      user ? { ...response, old_key: user.key.reveal() } : response,
    ),
  ],
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
