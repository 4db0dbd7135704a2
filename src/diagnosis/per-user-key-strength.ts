import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnoseKey } from './per-user-key-words.ts';

/**
 * Signs that 32 characters were not drawn at random. Each bound is set so that a random key over
 * ten symbols, the smallest alphabet in use, meets it by chance this often (binomial tails):
 *
 *     at most 5 different characters                                       6e-8
 *     one character 17 times or more                                       1.2e-8
 *     ten or more equal characters in a row                                2.1e-8
 *     16 or more of 31 steps to an equal character                         6e-9
 *     16 or more of 31 steps to the next, or to the previous, character    1.4e-9 each
 *     16 or more of 31 steps along a keyboard, either way                  1.4e-9 each
 *     a shorter text repeated                                              1.1e-16
 *     a word of eight letters or more that people use for a key            2.5e-7
 *
 * Together 4e-7, fewer than one in a million; larger alphabets meet them much more rarely.
 */
const fewestDifferent = 6;
const mostOfOne = 16;
const longestRun = 9;
const mostSteps = 15;

const keyboard = 'qwertyuiopasdfghjklzxcvbnm';
const words = /password|changeme|secretkey|testtest/;

/** Why a key is no random string; undefined where nothing speaks against it. */
export function findWeakness(key: string): Diagnosis | undefined {
  const characters = [...key];
  if (characters.length >= 8 && new Set(characters).size === 1) {
    const what = `The key is one character, ${characters.length} times.`;
    return diagnoseKey('key-constant', what);
  }
  if (countCharacters(key) !== perUserKeyLength) return undefined;
  const sign = findSign(characters, key);
  return sign === undefined
    ? undefined
    : diagnoseKey('key-low-entropy', `The key is no random string: ${sign}.`);
}

function findSign(characters: readonly string[], key: string): string | undefined {
  const period = findPeriod(characters);
  if (period !== undefined) return `its first ${period} characters are repeated`;
  return findCounted(characters) ?? findSteps(characters, key);
}

function findCounted(characters: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  const most = Math.max(...counts.values());
  if (counts.size < fewestDifferent) return `it has only ${counts.size} different characters`;
  if (most > mostOfOne) return `one of its characters stands there ${most} times`;
  const run = lengthOfRun(characters);
  return run > longestRun ? `one of its characters stands there ${run} times in a row` : undefined;
}

function findSteps(characters: readonly string[], key: string): string | undefined {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  for (const [step, name] of [
    [1, 'up'],
    [-1, 'down'],
    [0, 'the same'],
  ] as const) {
    const count = countSteps(codes, step);
    if (count > mostSteps)
      return `${count} of its 31 steps from one character to the next are ${name}`;
  }
  const places = characters.map((character) => keyboard.indexOf(character.toLowerCase()));
  const walked = Math.max(countSteps(places, 1), countSteps(places, -1));
  if (walked > mostSteps) return `${walked} of its 31 steps go along the keyboard`;
  return words.test(key.toLowerCase()) ? 'a word that people use for keys stands in it' : undefined;
}

/** Steps of this size between neighbours; -1 stands for "nowhere" and makes no step. */
function countSteps(codes: readonly number[], step: number): number {
  return codes.filter((code, at) => {
    const previous = codes[at - 1];
    return previous !== undefined && previous >= 0 && code >= 0 && code - previous === step;
  }).length;
}

function findPeriod(characters: readonly string[]): number | undefined {
  for (let period = 1; period <= characters.length / 2; period += 1) {
    if (characters.every((character, at) => at < period || character === characters[at - period])) {
      return period;
    }
  }
  return undefined;
}

function lengthOfRun(characters: readonly string[]): number {
  let longest = 0;
  let run = 0;
  let previous: string | undefined;
  for (const character of characters) {
    run = character === previous ? run + 1 : 1;
    longest = Math.max(longest, run);
    previous = character;
  }
  return longest;
}
