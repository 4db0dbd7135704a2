import { hash } from 'node:crypto';
import { encodeUtf8 } from '../bytes.ts';
import { diagnose } from '../diagnosis/catalogue.ts';
import {
  countMatches,
  diagnosePerUserKey,
  type PerUserKeyContext,
} from '../diagnosis/per-user-key.ts';
import { type Diagnosis, type DiagnosisCode, wrappedKeyCodes } from '../errors.ts';
import type { DrawnKey } from './result.ts';

/** The weaknesses of a single key, the most significant first. */
const weaknesses: readonly DiagnosisCode[] = [
  'key-from-user-code',
  'key-constant',
  'key-predictable',
  'key-low-entropy',
];

/**
 * Equal characters in each pair of keys that reveal a counter or the time: random keys over two
 * symbols have 16 on average, and 20 or more in every pair of five keys once in 10^10.
 */
const countedMatches = 20;
const highestCount = 5000;

/** Why keys of several users are not random, if they aren't; equal keys are another check's. */
export function findPattern(keys: readonly DrawnKey[], clientId: string): Diagnosis | undefined {
  const different = [...new Set(keys.map(({ key }) => key))];
  const single = keys.flatMap(({ key, ptnCd, drawnAt }) =>
    weaknessesIn(key, { ptnCd, clientId, now: drawnAt }),
  );
  const fromCode = single.find(({ code }) => code === 'key-from-user-code');
  return (
    fromCode ??
    findCounting(different) ??
    weaknesses.flatMap((code) => single.filter((found) => found.code === code))[0] ??
    keys.flatMap(({ key }) => resemblances(key, different))[0]
  );
}

/** Keys that are searched for a counter at a time: few, so that it shows soon after random keys. */
const countedKeys = 3;

/** Why the last of several keys isn't random beside those before it; what it is by itself isn't examined. */
export function findResemblance(keys: readonly string[]): Diagnosis | undefined {
  const different = [...new Set(keys)];
  return (
    findCounting(different.slice(-countedKeys)) ?? resemblances(keys.at(-1) ?? '', different)[0]
  );
}

function resemblances(key: string, keys: readonly string[]): readonly Diagnosis[] {
  return weaknessesIn(key, { earlierKeys: keys.filter((other) => other !== key) });
}

function weaknessesIn(key: string, context: PerUserKeyContext): readonly Diagnosis[] {
  const { diagnoses } = diagnosePerUserKey(encodeUtf8(key), context);
  return diagnoses.filter(({ code }) => weaknesses.includes(code));
}

function findCounting(keys: readonly string[]): Diagnosis | undefined {
  const common = pairsOf(keys).map(([key, other]) => countMatches(key, other));
  if (keys.length >= 3 && common.every((count) => count >= countedMatches)) {
    return diagnose(
      'key-predictable',
      `Any two of ${keys.length} keys share at least ${Math.min(...common)} characters at the same positions: most of each is a constant text, a counter or the time.`,
    );
  }
  const hashed = keys.length >= 2 && keys.every((key) => /^[0-9a-f]{32}$/i.test(key));
  if (!hashed || !areHashesOfNumbers(keys)) return undefined;
  return diagnose(
    'key-predictable',
    'The keys are hashes of small numbers: they come from a counter.',
  );
}

let hashesOfNumbers: ReadonlySet<string> | undefined;

function areHashesOfNumbers(keys: readonly string[]): boolean {
  hashesOfNumbers ??= new Set(
    Array.from({ length: highestCount + 1 }, (_, count) =>
      (['md5', 'sha256'] as const).map((algorithm) => hash(algorithm, `${count}`).slice(0, 32)),
    ).flat(),
  );
  return keys.every((key) => hashesOfNumbers?.has(key.toLowerCase()));
}

/** How one of the keys follows from another, as the end of a sentence (empty if equal), if one does. */
export function findRelation(keys: readonly string[]): string | undefined {
  const relations = pairsOf(keys).map(([key, other]) => relationOf(key, other));
  return relations.find((relation) => relation !== undefined);
}

function pairsOf(keys: readonly string[]): (readonly [string, string])[] {
  return keys.flatMap((key, index) => keys.slice(index + 1).map((other) => [key, other] as const));
}

function relationOf(key: string, other: string): string | undefined {
  if (key === other) return '';
  const [left, right] = [key.toLowerCase(), other.toLowerCase()];
  if (left === right) return ', in upper or lower case';
  if (left === [...right].reverse().join('')) return ', reversed';
  const isTurned = left.length === right.length && (left + left).includes(right);
  return isTurned ? ', rotated' : undefined;
}

/** Whether the code is about how the key was wrapped (2.2). */
export function isWrapCode(code: DiagnosisCode): boolean {
  return wrappedKeyCodes.some((known) => known === code);
}

/** Whether the wrapped text may differ from the key that the application stores. */
export function isAmbiguousForm(code: DiagnosisCode): boolean {
  return ['key-raw-bytes', 'key-quoted', 'key-trailing-newline'].includes(code);
}
