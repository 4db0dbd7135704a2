/** A cipher that makes sense of a payload. */
export interface CipherCandidate {
  /** In the canonical notation. */
  readonly cipher: string;
  readonly confidence: 'certain' | 'likely' | 'possible';
  readonly plaintext: Uint8Array;
}

/** A reading with its weight. */
export interface WeighedReading {
  readonly notation: string;
  readonly plaintext: Uint8Array;
  /** The same for equal plaintexts, different for others. */
  readonly textId: string;
  readonly isClean: boolean;
  /** It looks like the rest of a text whose beginning was taken for the IV. */
  readonly isCut: boolean;
  /** log2 of the likelihood ratio against noise. */
  readonly evidence: number;
  /** How much rarer the cipher is than the usual one, in bits; orders equals. */
  readonly rarity: number;
}

/**
 * log2 of the readings that are tried for one payload, rounded up: 5,116 ciphers of the notation and
 * usual IVs, and for a text that can be hexadecimal and Base64 each of them twice.
 */
export const hypothesisBits = 14;

/** Evidence beyond `hypothesisBits` that a claim asks for; noise has it with probability 2^-bits. */
export const certainBits = 30;
const likelyBits = 6;

/** How far ahead of the next other text the first one has to be. */
const leadBits = 3;

/** Readings with the same text are named only where they are about as well founded as the best. */
const equalBits = 6.5;

/** So near to the best a reading with a usual fixed IV is worth naming. */
const guessBits = 10;

const mostCandidates = 10;

/**
 * Orders readings by weight and says how sure they are. All readings with one text are one answer:
 * they share its confidence, and none of them is a rival of another.
 */
export function rankReadings(readings: readonly WeighedReading[]): CipherCandidate[] {
  const groups = groupByText(readings).filter(isNoGuessBeside);
  const [best, ...rivals] = groups;
  if (best === undefined) return [];
  const confidence = confidenceOf(best, rivals);
  const shown = confidence === 'certain' ? [best] : groups.filter(isWorthNaming);
  return shown
    .flatMap((group) => group.map((reading) => ({ group, reading })))
    .slice(0, mostCandidates)
    .map(({ group, reading: { notation, plaintext } }) => ({
      cipher: notation,
      confidence: group === best ? confidence : 'possible',
      plaintext,
    }));
}

type Group = readonly [WeighedReading, ...WeighedReading[]];

/**
 * With an IV that is free to choose any first block can be had, so a usual IV is a rival only where
 * its text is about as good as the best.
 */
function isNoGuessBeside([reading]: Group, _: number, [best]: readonly Group[]): boolean {
  const isGuess = reading.notation.includes('iv=hex:');
  return !isGuess || best === undefined || weightOf(best[0]) - weightOf(reading) <= guessBits;
}

function groupByText(readings: readonly WeighedReading[]): Group[] {
  const groups = new Map<string, [WeighedReading, ...WeighedReading[]]>();
  for (const reading of readings.toSorted((left, right) => weightOf(right) - weightOf(left))) {
    const group = groups.get(reading.textId);
    if (group === undefined) groups.set(reading.textId, [reading]);
    else if (weightOf(group[0]) - weightOf(reading) <= equalBits) group.push(reading);
  }
  return [...groups.values()];
}

function confidenceOf([best]: Group, rivals: readonly Group[]): CipherCandidate['confidence'] {
  const net = best.evidence - hypothesisBits;
  const hasCleanRival = rivals.some(([rival]) => rival.isClean);
  if (net >= certainBits && !hasCleanRival && !best.isCut) return 'certain';
  const lead = weightOf(best) - Math.max(...rivals.map(([rival]) => weightOf(rival)));
  return net >= likelyBits && lead >= leadBits ? 'likely' : 'possible';
}

/** A reading whose text is noise must have proof of its own. */
function isWorthNaming([best]: Group): boolean {
  return best.isClean || best.evidence >= hypothesisBits;
}

function weightOf({ evidence, rarity }: WeighedReading): number {
  return evidence - rarity;
}
