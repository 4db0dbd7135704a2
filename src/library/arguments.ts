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
