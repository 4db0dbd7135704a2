import { createHash } from 'node:crypto';
import type { RandomBytes } from '../bytes.ts';
import type { generateKeyPair } from '../client/key-pair.ts';
import { AuthcliError } from '../errors.ts';
import { keepingLatest } from '../latest-results.ts';
import { encodeUserInformation } from '../protocol/user.ts';
import type { KeyPairs, TestUsers } from './context.ts';

/** The prefix of invented user codes, so that test users can be found and removed. */
export const testUserPrefix = 'authcli-';

export const plainUserInfo = encodeUserInformation({
  email: 'authcli@example.com',
  name: 'Test User',
  phone: '+1-202-555-0123',
});

/**
 * Codes that follow from the seed: `authcli-` and nine letters and digits. In small letters and short,
 * so that folding case or cutting codes fails only the check of that.
 */
export function inventCodes(seed: string, id: string, count: number): readonly string[] {
  const codeAt = (index: number) => testUserPrefix + hashed(`${seed}\0${id}\0${index}`);
  return Array.from({ length: count }, (_, index) => codeAt(index));
}

/** Given codes, for an application that accepts only users that it knows. */
export function givenUsers(codes: readonly string[]): TestUsers {
  let next = 0;
  return {
    limit: codes.length,
    forCheck: (_, count) => {
      if (count > codes.length) return undefined;
      const taken = [...codes.slice(next), ...codes.slice(0, next)].slice(0, count);
      next = (next + count) % codes.length;
      return taken;
    },
  };
}

function hashed(text: string): string {
  const number = createHash('sha256').update(text).digest().readBigUInt64BE();
  return (number % 36n ** 9n).toString(36).padStart(9, '0');
}

/**
 * Reads user codes from a text, one a line; ignores empty lines and those that begin with `#`.
 * @throws AuthcliError `usage` if it contains none.
 */
export function readUserCodes(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const codes = lines.map((line) => line.trim()).filter((line) => line !== '' && !/^#/.test(line));
  if (codes.length > 0) return [...new Set(codes)];
  throw new AuthcliError('usage', 'The file contains no user codes.', {
    hint: 'Write one user code per line, of users that the application accepts.',
  });
}

/** Bytes that follow from a seed, so that a run can be repeated. For test data only. */
export function seededBytes(seed: string): RandomBytes {
  let draws = 0;
  return (size) => {
    draws += 1;
    if (size === 0) return new Uint8Array();
    const hash = createHash('shake256', { outputLength: size });
    return hash.update(`${seed}\0${draws}`).digest();
  };
}

/** Key pairs that `generate` makes on first use. */
export function createKeyPairs(generate: typeof generateKeyPair): KeyPairs {
  return keepingLatest(4, (name) => {
    const pair = generate(typeof name === 'number' ? name : 2048);
    // Whoever awaits it sees the failure; without one it must not be unhandled.
    pair.catch(() => {});
    return pair;
  });
}
