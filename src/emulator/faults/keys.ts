import { createHash } from 'node:crypto';
import { encodeBase64, encodeHex, encodeUtf8 } from '../../bytes.ts';
import { counter, editResult, editSuccess } from './edit.ts';
import { defineFaults } from './points.ts';

/** Keys of another length or form than 32 characters, not random, or not new. */
const wrongKeys = defineFaults(undefined, {
  'key-exchange/key-length': {
    'key-of-16': { key: (right) => right.slice(0, 16), diagnosis: 'key-length' },
    'key-of-33': { key: (right) => `${right}x`, diagnosis: 'key-length' },
    'key-hex-of-32-bytes': { key: (_, { randomBytes }) => encodeHex(randomBytes(32)) },
    'key-base64-of-32-bytes': { key: (_, { randomBytes }) => encodeBase64(randomBytes(32)) },
    'key-raw-bytes': { message: (_, { randomBytes }) => Uint8Array.of(0xff, ...randomBytes(31)) },
    'key-quoted': { message: (_, { key }) => encodeUtf8(JSON.stringify(key)) },
    'key-trailing-newline': { message: (_, { key }) => encodeUtf8(`${key}\n`) },
    'key-utf16': { message: (_, { key }) => Buffer.from(key, 'utf16le') },
  },
  'key-exchange/key-is-random': {
    'key-constant': { key: () => '0'.repeat(32) },
    'key-from-user-code': { key: (_, { ptnCd }) => md5(ptnCd) },
    'key-padded-user-code': {
      key: (_, { ptnCd }) => [...ptnCd, ...'0'.repeat(32)].slice(0, 32).join(''),
      diagnosis: 'key-from-user-code',
    },
    'key-from-time': {
      key: (_, { now }) => String(now).padStart(32, '0'),
      diagnosis: 'key-predictable',
    },
    'key-hash-of-time': { key: (_, { now }) => md5(`${now}`), diagnosis: 'key-predictable' },
    'key-from-code-and-time': {
      key: (_, { ptnCd, now }) => md5(`${ptnCd}${now}`),
      diagnosis: 'key-predictable',
    },
    'key-padded-with-spaces': {
      key: (right) => right.slice(0, 12).padEnd(32),
      diagnosis: 'key-low-entropy',
    },
    'key-from-counter': () => {
      const count = counter();
      return { key: () => String(count()).padStart(32, '0'), diagnosis: 'key-predictable' };
    },
    'key-low-entropy': {
      // One of each, so that the key is never one character throughout.
      key: (_, { randomBytes }) =>
        `01${Array.from(randomBytes(30), (octet) => octet & 1).join('')}`,
    },
  },
  'key-exchange/key-per-user': {
    'one-key-for-all': () => {
      let first: string | undefined;
      return { key: (right) => (first ??= right), diagnosis: 'key-constant' };
    },
    'key-from-pool': () => {
      const pool: string[] = [];
      const count = counter();
      return {
        key: (_, { ptnCd, randomBytes }) => {
          while (pool.length < 16) pool.push(encodeHex(randomBytes(16)));
          const first = Number.parseInt(md5(ptnCd).slice(0, 8), 16);
          return pool[(first + count(ptnCd)) % pool.length] ?? '';
        },
        diagnosis: 'key-repeated',
      };
    },
  },
  'key-exchange/new-key-each-time': {
    'key-repeated': { key: (right, { user }) => user?.key.reveal() ?? right },
  },
});

/** The plain key in the response, beside the wrapped one (section 4.1.1 rule 2). */
const leaks = defineFaults('key-leaked', {
  'key-exchange/plain-key-absent': {
    'leaks-key-in-result': editResult((result, { key }) => ({ ...result, partner_key: key })),
    'leaks-key-in-message': editSuccess((response, { key }) => ({
      ...response,
      message: `key=${key}`,
    })),
    'leaks-key-in-hex': editSuccess((response, { key = '' }) => ({
      ...response,
      debug: encodeHex(encodeUtf8(key)),
    })),
    'leaks-key-in-header': {
      response: (right, { key, refusal }) =>
        key === undefined || refusal !== undefined
          ? right
          : { ...right, headers: { ...right.headers, 'x-debug-key': key } },
    },
    'leaks-earlier-key': editSuccess((response, { user }) =>
      user ? { ...response, old_key: user.key.reveal() } : response,
    ),
  },
});

export const keyFaults = [...wrongKeys, ...leaks];

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
