import { type Cipher, defaultCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { AuthcliError } from '../errors.ts';
import { callbackUrl } from '../protocol/endpoints.ts';

/**
 * A text that can't be left out, for callers whose compiler doesn't look.
 * @throws AuthcliError `usage`, naming it
 */
export function required(name: string, value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  const seen = value === '' ? 'it is empty' : `it is ${value === null ? 'null' : typeof value}`;
  throw new AuthcliError('usage', `The option ${name} is ${what}: ${seen}.`, {
    hint: `Give ${name} as a string.`,
  });
}

/** Reads a callback URL; throws `usage` for what can't be one. */
export function readUrl(url: string | URL): URL {
  const text = url instanceof URL ? url.href : url;
  return callbackUrl(required('url', text, "the application's callback URL"));
}

/** Reads a cipher's notation or preset; the default where none is given. Throws `usage`. */
export function readCipher(notation: string | undefined): Cipher {
  return notation === undefined ? defaultCipher : parseCipher(notation);
}

/** One or many as many. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
}
