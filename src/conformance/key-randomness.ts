import { hash } from 'node:crypto';
import { encodeUtf8 } from '../bytes.ts';
import { diagnosePerUserKey } from '../diagnosis/per-user-key.ts';
import { diagnoseKey } from '../diagnosis/per-user-key-words.ts';
import type { Diagnosis, DiagnosisCode } from '../errors.ts';

/** A key, for whom it was made, and when it was asked for (ms since the epoch). */
export interface DrawnKey {
  readonly key: string;
  readonly ptnCd: string;
  readonly drawnAt: number;
}

/** What a single key may show, the most telling first. */
const weaknesses: readonly DiagnosisCode[] = [
  'key-from-user-code',
  'key-constant',
  'key-predictable',
  'key-low-entropy',
];

/**
 * Characters at the same places that every pair of keys has in common where they are counted or
 * made of the time: of 32 random ones over two symbols 16 on average, and 20 or more in every
 * pair of five keys once in 10^10.
 */
const countedMatches = 20;
const highestCount = 5000;

/**
 * Why keys of several users are not random: made of what others know, counted, or of little
 * entropy; undefined where nothing speaks against them. One key for all is another check's.
 */
export function findPattern(keys: readonly DrawnKey[], clientId: string): Diagnosis | undefined {
  const different = [...new Set(keys.map(({ key }) => key))];
  const single = keys.flatMap((drawn) => weaknessesOf(drawn, clientId, []));
  const fromCode = single.find(({ code }) => code === 'key-from-user-code');
  return (
    fromCode ??
    findCounting(different) ??
    weaknesses.flatMap((code) => single.filter((found) => found.code === code))[0] ??
    keys.flatMap((drawn) => weaknessesOf(drawn, clientId, different))[0]
  );
}

function weaknessesOf(
  { key, ptnCd, drawnAt }: DrawnKey,
  clientId: string,
  different: readonly string[],
): readonly Diagnosis[] {
  const earlierKeys = different.filter((other) => other !== key);
  const context = { ptnCd, clientId, now: drawnAt, earlierKeys };
  const { diagnoses } = diagnosePerUserKey(encodeUtf8(key), context);
  return diagnoses.filter(({ code }) => weaknesses.includes(code));
}

/** Keys that differ in few places throughout, or are hashes of small numbers. */
function findCounting(keys: readonly string[]): Diagnosis | undefined {
  const pairs = keys.flatMap((key, index) => keys.slice(index + 1).map((other) => [key, other]));
  const common = pairs.map(([key = '', other = '']) => countMatches(key, other));
  if (keys.length >= 3 && common.every((count) => count >= countedMatches)) {
    return diagnoseKey(
      'key-predictable',
      `Of ${keys.length} keys each two have at least ${Math.min(...common)} characters at the same places: they are counted, or made of the time.`,
    );
  }
  const hashed = keys.length >= 2 && keys.every((key) => /^[0-9a-f]{32}$/i.test(key));
  if (!hashed || !areHashesOfNumbers(keys)) return undefined;
  return diagnoseKey('key-predictable', 'The keys are hashes of small numbers: they are counted.');
}

function countMatches(left: string, right: string): number {
  if (left.length !== right.length) return 0;
  return [...left].filter((character, place) => character === right[place]).length;
}

function areHashesOfNumbers(keys: readonly string[]): boolean {
  const wanted = new Set(keys.map((key) => key.toLowerCase()));
  for (let count = 0; count <= highestCount; count += 1) {
    for (const algorithm of ['md5', 'sha256'] as const) {
      wanted.delete(hash(algorithm, `${count}`).slice(0, 32));
    }
    if (wanted.size === 0) return true;
  }
  return false;
}
