import { decodeUtf8, encodeUtf8 } from '../bytes.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { type DeriveKeyMaterial, prepareKey } from '../crypto/key-derivation.ts';
import {
  type CipherCandidate,
  hypothesisBits,
  rankReadings,
  type WeighedReading,
} from './cipher-candidates.ts';
import { assessAfterFirstBlock, looksCut } from './cipher-partly-read.ts';
import { rarityBits } from './cipher-priors.ts';
import {
  type DecodedPayload,
  decodeAll,
  plaintextId,
  type Reading,
  readBytes,
} from './cipher-readings.ts';
import { matchKnownPlaintext } from './known-plaintext.ts';
import { assessPlaintext, type Plausibility } from './plausibility.ts';
import type { ShapeKind } from './text-shapes.ts';

export type { CipherCandidate } from './cipher-candidates.ts';

/** What else is known of the payloads. */
export interface IdentificationOptions {
  /** The plaintext of one of the payloads; text counts as UTF-8. */
  readonly knownPlaintext?: string | Uint8Array | undefined;
  /** What the payloads are meant to be. */
  readonly kind?: ShapeKind | undefined;
}

/**
 * A reading whose text is noise is kept where its padding or tag alone would be so rare, in bits.
 */
const proofWorthKeeping = 20;

/** Evidence beyond the number of readings, in bits, for one whose first block is noise. */
const partlyReadBits = 10;

/**
 * Finds the ciphers that make sense of payloads, the best first, by trying the whole notation.
 *
 * About 5,000 readings are weighed for each payload (`hypothesisBits`). A reading's evidence is log2
 * of a likelihood ratio against noise, so noise reaches B bits beyond that number in any of them with
 * probability 2^-B at most. `certain` asks for 30 bits, less than one error in 10^9 payloads, and
 * that no other reading gives other clean text; `likely` asks for 6 bits and a lead of 3.
 *
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
  const decoded = [...new Set(payloads)].map(decodeAll);
  const derive = prepareKey(key);
  const { knownPlaintext: known, kind } = options;
  if (known !== undefined) {
    const bytes = typeof known === 'string' ? encodeUtf8(known) : known;
    return matchKnownPlaintext(decoded, derive, bytes);
  }
  const ranked = rankReadings(
    weighTogether(decoded, derive, ({ plaintext }) => assessPlaintext(plaintext, kind)),
  );
  const [best] = ranked;
  if (best !== undefined && !isCut(best.plaintext)) return ranked;
  const partly = weighTogether(decoded, derive, (reading) => assessAfterFirstBlock(reading, kind));
  return [...ranked, ...rankReadings(partly.filter(isProven)).map(asPossible)].slice(0, 10);
}

/** The readings that all payloads allow, weighed together. */
function weighTogether(
  payloads: readonly DecodedPayload[][],
  derive: DeriveKeyMaterial,
  assess: Assessment,
): WeighedReading[] {
  const [first, ...others] = payloads.map((forms) => weighPayload(forms, derive, assess));
  return first === undefined ? [] : [...others.reduce(combine, first).values()];
}

type Assessment = (reading: Reading) => Plausibility;

function weighPayload(
  forms: readonly DecodedPayload[],
  derive: DeriveKeyMaterial,
  assess: Assessment,
): ReadonlyMap<string, WeighedReading> {
  const found = new Map<string, WeighedReading>();
  for (const { bytes, encodings } of forms) {
    for (const reading of readBytes(bytes, derive)) {
      const { bits, isClean } = assess(reading);
      if (!isClean && reading.proofBits < proofWorthKeeping) continue;
      for (const encoding of encodings) {
        const cipher = { ...reading.cipher, encoding };
        const weighed = weigh({ ...reading, cipher }, bits, isClean);
        found.set(weighed.notation, weighed);
      }
    }
  }
  return found;
}

function weigh(reading: Reading, textBits: number, isClean: boolean): WeighedReading {
  const { cipher, plaintext, proofBits } = reading;
  return {
    notation: formatCipher(cipher),
    plaintext,
    textId: plaintextId(plaintext),
    isClean,
    isCut: isCut(plaintext),
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
      evidence: one.evidence + other.evidence,
    });
  }
  return both;
}

/** A reading of a part has to be so far beyond chance to be shown. */
function isProven({ isClean, evidence }: WeighedReading): boolean {
  return isClean && evidence - hypothesisBits >= partlyReadBits;
}

function asPossible(candidate: CipherCandidate): CipherCandidate {
  return { ...candidate, confidence: 'possible' };
}

function isCut(plaintext: Uint8Array): boolean {
  return looksCut(decodeUtf8(plaintext) ?? '');
}
