import { AuthcliError } from '../errors.ts';
import { nearest } from '../suggest.ts';
import { excerptOf } from '../text.ts';
import { algorithms } from './cipher-algorithms.ts';
import { cipherPresets } from './cipher-presets.ts';

const longestExcerpt = 60;

/** An algorithm that doesn't exist. */
export function unknownAlgorithm(given: string): AuthcliError {
  const known = [...algorithms, ...cipherPresets].map(({ name }) => name);
  return refused(
    `The cipher's algorithm ${quote(given)} doesn't exist${didYouMean(given, known)}`,
    'Allowed: {aes,aria}-{128,192,256}-{cbc,ecb,ctr,cfb,gcm}, des-ede3-cbc, or the name of a preset.',
  );
}

/** A part or a value that doesn't exist, with what does. */
export function unknown(
  part: string,
  given: string,
  allowed: readonly string[],
  also: readonly string[] = [],
): AuthcliError {
  return refused(
    `The cipher's ${part} ${quote(given)} doesn't exist${didYouMean(given, allowed)}`,
    `Allowed: ${[...allowed, ...also].join(', ')}.`,
  );
}

function didYouMean(given: string, allowed: readonly string[]): string {
  const near = nearest(given, allowed);
  return near === undefined ? '.' : `; did you mean "${near}"?`;
}

/** What can't be, and the way out. */
export function refused(message: string, hint = ''): AuthcliError {
  return new AuthcliError('usage', message, { hint });
}

/** The value in quotation marks, with control characters that can't act, cut where it is long. */
export function quote(text: string): string {
  return `"${excerptOf(text, longestExcerpt)}"`;
}
