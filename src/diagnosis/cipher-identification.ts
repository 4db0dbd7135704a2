import { decodeUtf8, encodeUtf8 } from '../bytes.ts';
import { algorithmOf, type Cipher, ivBytesOf } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { rarityBits } from './cipher-priors.ts';
import {
  type CipherCandidate,
  type DecodedPayload,
  decodeAll,
  equalBits,
  hypothesisBits,
  mostCandidates,
  plaintextId,
  type Reading,
  readBytes,
  skipCharacter,
  unpaddedBits,
  withOneCertain,
} from './cipher-readings.ts';
import { matchKnownPlaintext } from './known-plaintext.ts';
import { assessPlaintext, type Plausibility, type ShapeKind, tornShape } from './plausibility.ts';

interface IdentificationOptions {
  /** The plaintext of one of the payloads; text counts as UTF-8. */
  readonly knownPlaintext?: string | Uint8Array | undefined;
  readonly kind?: ShapeKind | undefined;
}

/** A reading whose text is noise is retained where its padding or tag alone is this rare, in bits. */
const proofWorthKeeping = 20;

/** Evidence beyond the number of readings, in bits, for one whose first block is noise. */
const partlyReadBits = 10;

/**
 * Finds the ciphers that make sense of payloads, the best first, by trying the whole notation.
 *
 * Noise reaches B bits beyond `hypothesisBits` in any reading with probability 2^-B at most.
 * Ciphertexts of more than 4 KiB are found only where the plaintext is text.
 *
 * @param payloads of one user, one or more; together they narrow the choice
 * @param key the per-user key's characters, or the passphrase
 * @returns at most ten candidates with the first payload's plaintext; none where nothing fits
 */
export function identifyCipher(
  payloads: readonly string[],
  key: string,
  options: IdentificationOptions = {},
): readonly CipherCandidate[] {
  const different = [...new Set(payloads)];
  const { knownPlaintext: known, kind } = options;
  if (known === undefined) {
    const samples = different.map((payload) => decoded({ payload, key, kind }));
    return candidatesOf(weighTogether(samples, assess), samples);
  }
  const bytes = typeof known === 'string' ? encodeUtf8(known) : known;
  return matchKnownPlaintext(different.map(decodeAll), key, bytes);
}

/** A payload and the key it is encrypted with. */
interface PayloadSample {
  readonly payload: string;
  readonly key: string;
  readonly kind?: ShapeKind | undefined;
}

/** The cipher of payloads of several users, each with its own key, one after another. */
export class SharedCipher {
  readonly #samples: DecodedSample[] = [];
  #readings: ReadonlyMap<string, WeighedReading> = new Map();
  #candidates: readonly CipherCandidate[] = [];

  /** As {@link identifyCipher} returns them, of all payloads that were taken. */
  get candidates(): readonly CipherCandidate[] {
    return this.#candidates;
  }

  /** Takes a payload, unless no cipher decrypts it along with those before: then false. */
  add(sample: PayloadSample): boolean {
    const added = decoded(sample);
    const isFirst = this.#samples.length === 0;
    const left = new Set([...this.#readings.values()].map(({ tried }) => tried));
    const own = weighPayload(added, assess, isFirst ? undefined : left);
    const readings = isFirst ? own : combine(this.#readings, own);
    const candidates = candidatesOf(readings, [...this.#samples, added]);
    if (candidates.length === 0) return false;
    this.#samples.push(added);
    this.#readings = readings;
    this.#candidates = candidates;
    return true;
  }
}

interface DecodedSample extends PayloadSample {
  readonly forms: readonly DecodedPayload[];
}

function decoded(sample: PayloadSample): DecodedSample {
  return { ...sample, forms: decodeAll(sample.payload) };
}

function assess({ plaintext }: Reading, kind: ShapeKind | undefined): Plausibility {
  return assessPlaintext(plaintext, kind);
}

/** Without a whole text, those are weighed of which a wrong IV hides the beginning. */
function candidatesOf(
  readings: ReadonlyMap<string, WeighedReading>,
  samples: readonly DecodedSample[],
): readonly CipherCandidate[] {
  const ranked = rankReadings([...readings.values()]);
  const [best] = ranked;
  if (best !== undefined && !isCut(best.plaintext)) return ranked;
  const partly = [...weighTogether(samples, assessAfterFirstBlock).values()];
  const named = new Set(ranked.map(({ cipher }) => cipher));
  const possible = rankReadings(partly.filter(isProven))
    .filter(({ cipher }) => !named.has(cipher))
    .map((candidate) => ({ ...candidate, confidence: 'possible' as const }));
  return [...ranked, ...possible].slice(0, mostCandidates);
}

function weighTogether(
  samples: readonly DecodedSample[],
  assessment: Assessment,
): ReadonlyMap<string, WeighedReading> {
  const [first, ...others] = samples.map((sample) => weighPayload(sample, assessment));
  return first === undefined ? new Map() : others.reduce(combine, first);
}

type Assessment = (reading: Reading, kind: ShapeKind | undefined) => Plausibility;

function weighPayload(
  { forms, key, kind }: DecodedSample,
  assessment: Assessment,
  ciphers?: Iterable<Cipher>,
): ReadonlyMap<string, WeighedReading> {
  const found = new Map<string, WeighedReading>();
  for (const { bytes, encodings, lacksPadding } of forms) {
    for (const reading of readBytes(bytes, key, ciphers)) {
      const { bits, isClean } = assessment(reading, kind);
      if (!isClean && reading.proofBits < proofWorthKeeping) continue;
      for (const encoding of encodings) {
        const cipher = { ...reading.cipher, encoding };
        const doubt = lacksPadding && encoding === 'base64' ? unpaddedBits : 0;
        const weighed = weigh({ ...reading, cipher }, bits - doubt, isClean);
        found.set(weighed.notation, weighed);
      }
    }
  }
  return found;
}

function weigh(reading: Reading, textBits: number, isClean: boolean): WeighedReading {
  const { cipher, tried, plaintext, proofBits } = reading;
  return {
    notation: formatCipher(cipher),
    tried,
    plaintext,
    textId: plaintextId(plaintext),
    isClean,
    isCut: isCut(plaintext),
    isTorn: tornShape(plaintext, ivBytesOf(cipher)) !== undefined,
    evidence: textBits + proofBits,
    rarity: rarityBits(cipher),
  };
}

/** The readings that fit both; evidence of different payloads adds up. */
function combine(
  left: ReadonlyMap<string, WeighedReading>,
  right: ReadonlyMap<string, WeighedReading>,
): ReadonlyMap<string, WeighedReading> {
  const both = new Map<string, WeighedReading>();
  for (const [notation, one] of left) {
    const other = right.get(notation);
    if (other === undefined) continue;
    both.set(notation, {
      ...one,
      textId: `${one.textId} ${other.textId}`,
      isClean: one.isClean && other.isClean,
      isCut: one.isCut || other.isCut,
      isTorn: one.isTorn || other.isTorn,
      evidence: one.evidence + other.evidence,
    });
  }
  return both;
}

function isProven({ isClean, evidence }: WeighedReading): boolean {
  return isClean && evidence - hypothesisBits >= partlyReadBits;
}

/**
 * Weighs a reading with `iv=zero` by what follows its first block: in CBC and CFB a wrong IV leaves
 * noise in that block alone, so text after it marks a fixed IV.
 */
function assessAfterFirstBlock(reading: Reading, kind: ShapeKind | undefined): Plausibility {
  const { cipher, plaintext } = reading;
  const { mode, blockBytes } = algorithmOf(cipher);
  if (cipher.iv !== 'zero' || (mode !== 'cbc' && mode !== 'cfb')) {
    return { bits: 0, isClean: false, shape: 'binary' };
  }
  return assessPlaintext(skipCharacter(plaintext.subarray(blockBytes)), kind);
}

const cutEnds: readonly RegExp[] = [
  // JSON or markup without its beginning.
  /^[^{[<].*[}\]>]\s*$/s,
  // The last groups of a UUID.
  /^[0-9a-f-]{0,8}-[0-9a-f]{12}$/i,
  /^[0-9a-f]{0,7}(?:-[0-9a-f]{4}){0,3}-[0-9a-f]{12}$/i,
  // Form fields, the first without its name.
  /^[^=&\s]*&[\w.-]+=/,
];

/** Whether a text began a block earlier: its first block has been taken for an IV in front. */
function isCut(plaintext: Uint8Array): boolean {
  const text = decodeUtf8(plaintext)?.slice(0, 16_384) ?? '';
  return cutEnds.some((pattern) => pattern.test(text));
}

interface WeighedReading {
  readonly notation: string;
  readonly tried: Cipher;
  readonly plaintext: Uint8Array;
  /** The same for equal plaintexts, different for others. */
  readonly textId: string;
  readonly isClean: boolean;
  /** It looks like the rest of a text whose beginning was taken for the IV. */
  readonly isCut: boolean;
  /** Surely so: hardly any whole text looks like it. */
  readonly isTorn: boolean;
  /** log2 of the likelihood ratio against noise. */
  readonly evidence: number;
  /** How much rarer the cipher is than the usual one, in bits; orders equals. */
  readonly rarity: number;
}

/** Evidence beyond `hypothesisBits` that a claim asks for; noise has it with probability 2^-bits. */
const certainBits = 30;
const likelyBits = 6;

/** How far ahead of the next other text the first one has to be. */
const leadBits = 3;

/** A reading with a usual fixed IV is named within this distance of the best. */
const guessBits = 10;

/** Orders readings by weight; those with one text share its confidence and aren't rivals. */
function rankReadings(readings: readonly WeighedReading[]): CipherCandidate[] {
  const groups = groupByText(readings).filter(isNoGuessBeside);
  const [best, ...rivals] = groups;
  if (best === undefined) return [];
  const confidence = confidenceOf(best, rivals);
  const shown = confidence === 'certain' ? [best] : groups.filter(isWorthNaming);
  const candidates = shown.flatMap((group) =>
    group.map(({ notation, plaintext }) => ({
      cipher: notation,
      confidence: group === best ? confidence : ('possible' as const),
      plaintext,
    })),
  );
  return withOneCertain(candidates.slice(0, mostCandidates));
}

type Group = readonly [WeighedReading, ...WeighedReading[]];

/** A free choice of the IV gives any first block, so a usual IV has to give about as good a text. */
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
  if (best.isTorn) return 'possible';
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
