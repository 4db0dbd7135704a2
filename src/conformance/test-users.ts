import { createHash } from 'node:crypto';

/** What every invented user code begins with, so that test users can be found and removed. */
export const testUserPrefix = 'authcli-';

/** The user codes that checks use. */
export interface TestUsers {
  /** So many codes for one check; undefined where there are not enough of them. */
  forCheck(id: string, count: number): readonly string[] | undefined;
  /** How many codes there are; undefined where they are invented. */
  readonly limit?: number;
}

/**
 * Codes that are invented: `authcli-` and nine letters and digits, other ones for every check, the
 * same in every run with the same seed. Small letters alone, and short, so that only the check
 * that is about it meets an application that folds case or cuts codes.
 */
export function inventUsers(seed: string): TestUsers {
  return {
    forCheck: (id, count) =>
      Array.from(
        { length: count },
        (_, index) => testUserPrefix + hashed(`${seed}\0${id}\0${index}`),
      ),
  };
}

/** Codes that are given, for an application that accepts only users that it knows. */
export function givenUsers(codes: readonly string[]): TestUsers {
  let next = 0;
  return {
    limit: codes.length,
    forCheck: (_, count) => {
      if (count > codes.length) return undefined;
      const taken = Array.from(
        { length: count },
        (_, index) => codes[(next + index) % codes.length],
      );
      next = (next + count) % codes.length;
      return taken.filter((code) => code !== undefined);
    },
  };
}

function hashed(text: string): string {
  const number = createHash('sha256').update(text).digest().readBigUInt64BE();
  return (number % 36n ** 9n).toString(36).padStart(9, '0');
}
