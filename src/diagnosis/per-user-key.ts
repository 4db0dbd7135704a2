import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnose } from './catalogue.ts';
import { readShape } from './per-user-key-form.ts';
import { findOrigin } from './per-user-key-origin.ts';

export interface PerUserKeyContext {
  readonly ptnCd?: string;
  readonly clientId?: string;
  /** When the key was made, in ms since 1970. */
  readonly now?: number;
  /** Per-user keys that other users were given. */
  readonly earlierKeys?: readonly string[];
  /** Whether to look for what makes a key weak, and for the key in the responses; true by default. */
  readonly examinesStrength?: boolean;
}

interface PerUserKeyFinding {
  /** The key as it was wrapped, where it is a text: a secret. */
  readonly key?: string;
  /** Whether it is a string of 32 characters (2.2); it may still be weak. */
  readonly isWellFormed: boolean;
  /** First what is wrong with its form, outermost first, then what makes it weak. */
  readonly diagnoses: readonly Diagnosis[];
}

/**
 * Judges a per-user key as it came out of the wrap (2.2): its form, then whether it is a constant,
 * derived from what others know, another user's, or not random. A random key over any alphabet of
 * ten symbols or more is blamed less than once in a million.
 */
export function diagnosePerUserKey(
  message: Uint8Array,
  context: PerUserKeyContext = {},
): PerUserKeyFinding {
  const { key, inner, diagnoses } = readShape(message);
  const weakness =
    inner === undefined || context.examinesStrength === false
      ? undefined
      : (findRelation(inner, context) ?? findOrigin(inner, context) ?? findWeakness(inner));
  return {
    isWellFormed: diagnoses.length === 0,
    diagnoses: weakness === undefined ? diagnoses : [...diagnoses, weakness],
    ...(key !== undefined && { key }),
  };
}

/** Random keys over ten symbols agree at this many of 32 places once in 10^12 pairs. */
const convincingMatches = 20;

function findRelation(key: string, { earlierKeys = [] }: PerUserKeyContext): Diagnosis | undefined {
  const same = earlierKeys.filter((earlier) => earlier === key).length;
  if (same > 1 && same === earlierKeys.length) {
    const what = `All ${same + 1} users got the same key.`;
    return diagnose('key-constant', what);
  }
  if (same > 0) {
    return diagnose(
      'key-repeated',
      'This key was returned before, to another user or in another exchange.',
    );
  }
  const common = Math.max(0, ...earlierKeys.map((earlier) => countMatches(key, earlier)));
  if (common < convincingMatches) return undefined;
  return diagnose(
    'key-predictable',
    `The key shares ${common} of its ${key.length} characters with another user's key, at the same positions: one key can be derived from the other.`,
  );
}

/** Places at which two keys of 32 characters agree; spaces that fill both up don't count. */
export function countMatches(left: string, right: string): number {
  if (left.length !== right.length || left.length !== perUserKeyLength) return 0;
  return left.split('').filter((unit, at) => unit === right[at] && unit !== ' ').length;
}

/**
 * Signs that 32 characters were not drawn at random, and how often a random key over ten symbols,
 * the smallest alphabet in use, meets each by chance (binomial tails):
 *
 *     at most 5 different characters                                       6e-8
 *     one character 17 times or more                                       1.2e-8
 *     ten or more equal characters in a row                                2.1e-8
 *     16 or more of 31 steps to an equal character                         6e-9
 *     16 or more of 31 steps to the next, or to the previous, character    1.4e-9 each
 *     16 or more of 31 steps along a keyboard, either way                  1.4e-9 each
 *     a shorter text repeated                                              1.1e-16
 *     a word of eight letters or more that is used for a key            2.5e-7
 */
const fewestDifferent = 6;
const mostOfOne = 16;
const longestRun = 9;
const mostSteps = 15;

const keyboard = 'qwertyuiopasdfghjklzxcvbnm';
const words = /password|changeme|secretkey|testtest/;

/** Why a key is not a random string; undefined where nothing speaks against it. */
export function findWeakness(key: string): Diagnosis | undefined {
  const characters = [...key];
  if (characters.length >= 8 && new Set(characters).size === 1) {
    return diagnose(
      'key-constant',
      `The key is one character repeated ${characters.length} times.`,
    );
  }
  if (countCharacters(key) !== perUserKeyLength) return undefined;
  const sign = findPeriod(characters) ?? findCounted(characters) ?? findSteps(characters, key);
  if (sign === undefined) return undefined;
  return diagnose('key-low-entropy', `The key is not a random string: ${sign}.`);
}

function findCounted(characters: readonly string[]): string | undefined {
  const different = [...new Set(characters)];
  if (different.length < fewestDifferent)
    return `it has only ${different.length} different characters`;
  const most = Math.max(
    ...different.map((one) => characters.filter((character) => character === one).length),
  );
  if (most > mostOfOne) return `one of its characters occurs ${most} times`;
  const run = lengthOfRun(characters);
  return run > longestRun ? `one of its characters occurs ${run} times in a row` : undefined;
}

function findSteps(characters: readonly string[], key: string): string | undefined {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  for (const [name, step] of Object.entries({ up: 1, down: -1, 'the same': 0 })) {
    const count = countSteps(codes, step);
    if (count > mostSteps) {
      return `${count} of its 31 steps from one character to the next are ${name}`;
    }
  }
  const places = characters.map((character) => keyboard.indexOf(character.toLowerCase()));
  const walked = Math.max(countSteps(places, 1), countSteps(places, -1));
  if (walked > mostSteps)
    return `${walked} of its 31 steps are to the neighbouring key on the keyboard`;
  return words.test(key.toLowerCase())
    ? 'it contains a word that is common in passwords'
    : undefined;
}

/** Steps of this size between neighbours; -1 means "nowhere" and makes no step. */
function countSteps(codes: readonly number[], step: number): number {
  return codes.filter((code, at) => {
    const previous = codes[at - 1];
    return previous !== undefined && previous >= 0 && code >= 0 && code - previous === step;
  }).length;
}

function findPeriod(characters: readonly string[]): string | undefined {
  for (let period = 1; period <= characters.length / 2; period += 1) {
    if (characters.every((character, at) => at < period || character === characters[at - period])) {
      return `its first ${period} characters are repeated`;
    }
  }
  return undefined;
}

function lengthOfRun(characters: readonly string[]): number {
  let run = 0;
  const runs = characters.map((character, at) => {
    run = character === characters[at - 1] ? run + 1 : 1;
    return run;
  });
  return Math.max(...runs);
}
