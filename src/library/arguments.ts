import { randomBytes } from 'node:crypto';
import { generateKeyPair } from '../client/key-pair.ts';
import { preciseNow } from '../clock.ts';
import { type Cipher, defaultCipher } from '../crypto/cipher.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { AuthcliError } from '../errors.ts';
import { callbackUrl } from '../protocol/endpoints.ts';

/** A text that can't be left out, also not by callers without types; throws `usage`, naming it. */
export function required(name: string, value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  const seen = value === '' ? 'it is empty' : `it is ${value === null ? 'null' : typeof value}`;
  throw new AuthcliError('usage', `The option ${name} is ${what}: ${seen}.`, {
    hint: `Give ${name} as a string.`,
  });
}

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isCount = (value: unknown) => typeof value === 'number' && value >= 0;

/** What an option has to be, in whatever function it is. */
const kinds: readonly (readonly [
  what: string,
  fits: (value: unknown) => boolean,
  names: string,
])[] = [
  [
    'a string',
    isText,
    'as ca cert certKey cipher clientId email encPartnerKey expireTimeZone host key name phone proxy ptnCd ptnToken publicKey secretKey seed superPasscode',
  ],
  ['a string or URL', (value) => isText(value) || value instanceof URL, 'authUrl callbackUrl url'],
  ['a number from 0', isCount, 'latencyMs ptnTokenTtlMs retries timeoutMs tokenTtlMs waitMs'],
  [
    'a port number',
    (value) => Number.isInteger(value) && isCount(value) && Number(value) < 65536,
    'port',
  ],
  ['a boolean', (value) => typeof value === 'boolean', 'bail insecure showSecrets strict'],
  ['a function', (value) => typeof value === 'function', 'findUser onCheck onExchange'],
  [
    'a string or bytes',
    (value) => isText(value) || value instanceof Uint8Array,
    'knownPlaintext plaintext',
  ],
  [
    'a string or a list of strings',
    (value) => isText(value) || isTexts(value),
    'check payload privateKey skip',
  ],
  ['a list of strings', isTexts, 'earlierPrivateKeys faults userCodes'],
  ['a list of objects', (value) => Array.isArray(value) && value.every(isObject), 'knownFailures'],
  ['an object', isObject, 'headers resolve'],
  ['an AbortSignal', (value) => value instanceof AbortSignal, 'signal'],
  [
    'an object, a string or false',
    (value) => isObject(value) || isText(value) || value === false,
    'userInfo',
  ],
  [
    'a number, or a list of users',
    (value) => isCount(value) || (isObject(value) && Symbol.iterator in Object(value)),
    'users',
  ],
];

/** Throws `usage` for options that callers without types got wrong, naming the first of them. */
export function checkOptions(options: unknown): void {
  if (!isObject(options))
    throw new AuthcliError('usage', 'The options are not an object.', { hint: 'Give an object.' });
  for (const [name, value] of Object.entries(options as object)) {
    const [what, fits] = kinds.find(([, , names]) => names.split(' ').includes(name)) ?? [];
    if (value !== undefined && fits?.(value) === false)
      throw new AuthcliError('usage', `The option ${name} is not ${what}.`, {
        hint: `Give ${name} as ${what}.`,
      });
  }
}

/** What can be iterated, or nothing; throws `usage` for anything else. */
export function iterable<T>(name: string, value: Iterable<T> = []): Iterable<T> {
  if (isObject(value) && Symbol.iterator in value) return value;
  throw new AuthcliError('usage', `The option ${name} is not a list.`);
}

/** Reads a callback URL; throws `usage`. */
export function readUrl(url: string | URL): URL {
  const text = url instanceof URL ? url.href : url;
  return callbackUrl(required('url', text, "the application's callback URL"));
}

/** Reads a cipher's notation or preset; throws `usage`. */
export function readCipher(notation: string | undefined): Cipher {
  return notation === undefined ? defaultCipher : parseCipher(notation);
}

/** An option that takes one value or a list. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : ([value].flat() as T[]);
}

/** The clock and randomness of the library: with those of main.ts the only real ones. */
export const environment = { now: preciseNow, randomBytes, generateKeyPair };
