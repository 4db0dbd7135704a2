import type { Cipher } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import type { DeriveKeyMaterial } from '../crypto/key-derivation.ts';
import { decryptBytes } from '../crypto/payload-ciphers.ts';
import { type CipherCandidate, hypothesisBits } from './cipher-candidates.ts';
import { rarityBits } from './cipher-priors.ts';
import { type DecodedPayload, decodeAll, readBytes } from './cipher-readings.ts';
import { type SolvedIv, solveFixedIvs } from './fixed-iv.ts';
import { assessPlaintext } from './plausibility.ts';

/** A cipher under which one payload reads as the known plaintext. */
interface Match {
  readonly cipher: Cipher;
  /** log2 of how much likelier the match is than by chance, the search taken into account. */
  readonly netBits: number;
  /** Orders matches; for a solved IV it holds how much the IV looks like one written by hand. */
  readonly weight: number;
}

/** Beyond chance by so many bits a match is certain: one error in 4,096 plaintexts that are wrong. */
const certainBits = 12;

/** Of readings that differ in padding alone, those so much weaker than the best are left out. */
const equalBits = 6.5;

const mostCandidates = 10;

/**
 * The ciphers under which one of the payloads reads as the known plaintext, the best first. Where no
 * rule of the notation fits, a fixed IV is solved for and given as `hex:…`: certain where further
 * blocks or payloads bear it out, else `possible`, since then any key has an IV that fits.
 */
export function matchKnownPlaintext(
  payloads: readonly string[],
  derive: DeriveKeyMaterial,
  known: Uint8Array,
): CipherCandidate[] {
  const decoded = payloads.map(decodeAll);
  const matches = decoded.flatMap((forms) =>
    forms.flatMap((form) => matchByRule(form, derive, known, payloads.length)),
  );
  const solved = matches.some(({ netBits }) => netBits >= certainBits)
    ? []
    : decoded.flatMap((forms) => forms.flatMap((form) => matchBySolving(form, derive, known)));
  const confirmed = [...matches, ...solved].flatMap((match) => confirm(match, decoded, derive));
  return toCandidates(confirmed, decoded[0] ?? [], derive);
}

function matchByRule(
  { bytes, encodings }: DecodedPayload,
  derive: DeriveKeyMaterial,
  known: Uint8Array,
  payloadCount: number,
): Match[] {
  const matches: Match[] = [];
  for (const { cipher, plaintext, proofBits } of readBytes(bytes, derive)) {
    if (!isEqual(plaintext, known)) continue;
    const evidence = 8 * known.length + proofBits;
    const netBits = evidence - hypothesisBits - Math.log2(payloadCount);
    for (const encoding of encodings) {
      const named = { ...cipher, encoding };
      matches.push({ cipher: named, netBits, weight: evidence - rarityBits(named) });
    }
  }
  return matches;
}

function matchBySolving(
  { bytes, encodings }: DecodedPayload,
  derive: DeriveKeyMaterial,
  known: Uint8Array,
): Match[] {
  return solveFixedIvs(bytes, derive, known).flatMap((solved: SolvedIv) =>
    encodings.map((encoding) => {
      const cipher = { ...solved.cipher, encoding };
      const weight = solved.verifiedBits + solved.ivBits - rarityBits(cipher);
      return { cipher, netBits: solved.verifiedBits - hypothesisBits, weight };
    }),
  );
}

/** Weighs what a match makes of the other payloads; a cipher that can't read one of them is out. */
function confirm(
  match: Match,
  decoded: readonly DecodedPayload[][],
  derive: DeriveKeyMaterial,
): Match[] {
  let { netBits, weight } = match;
  if (decoded.length < 2) return [match];
  for (const forms of decoded) {
    const form = forms.find(({ encodings }) => encodings.includes(match.cipher.encoding));
    const result = form && decryptBytes(form.bytes, derive, match.cipher);
    if (!result?.ok) return [];
    const { bits } = assessPlaintext(result.plaintext);
    netBits += bits;
    weight += bits;
  }
  return [{ ...match, netBits, weight }];
}

function toCandidates(
  matches: readonly Match[],
  forms: readonly DecodedPayload[],
  derive: DeriveKeyMaterial,
): CipherCandidate[] {
  const ordered = matches.toSorted((left, right) => right.weight - left.weight);
  const best = ordered[0]?.weight ?? 0;
  const isSure = ordered.some(({ netBits }) => netBits >= certainBits);
  const shown = isSure ? ordered.filter(({ weight }) => best - weight <= equalBits) : ordered;
  const seen = new Set<string>();
  const candidates: CipherCandidate[] = [];
  for (const { cipher, netBits } of shown) {
    const notation = formatCipher(cipher);
    const form = forms.find(({ encodings }) => encodings.includes(cipher.encoding));
    const result = form && decryptBytes(form.bytes, derive, cipher);
    if (!result?.ok || seen.has(notation)) continue;
    seen.add(notation);
    candidates.push({
      cipher: notation,
      confidence: confidenceOf(netBits),
      plaintext: result.plaintext,
    });
  }
  return candidates.slice(0, mostCandidates);
}

function confidenceOf(netBits: number): CipherCandidate['confidence'] {
  if (netBits >= certainBits) return 'certain';
  return netBits > 0 ? 'likely' : 'possible';
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && Buffer.compare(left, right) === 0;
}
