import type { Cipher } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import type { DeriveKeyMaterial } from '../crypto/key-derivation.ts';
import { decryptBytes } from '../crypto/payload-ciphers.ts';
import { type CipherCandidate, hypothesisBits } from './cipher-candidates.ts';
import { rarityBits } from './cipher-priors.ts';
import { type DecodedPayload, readBytes } from './cipher-readings.ts';
import { type SolvedIv, solveFixedIvs } from './fixed-iv.ts';
import { assessPlaintext } from './plausibility.ts';

/** A cipher under which one payload reads as the known plaintext. */
interface Match {
  readonly cipher: Cipher;
  /** The payload that reads so. */
  readonly form: DecodedPayload;
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
  decoded: readonly DecodedPayload[][],
  derive: DeriveKeyMaterial,
  known: Uint8Array,
): CipherCandidate[] {
  const matches = decoded.flatMap((forms) =>
    forms.flatMap((form) => matchByRule(form, derive, known, decoded.length)),
  );
  const solved = matches.some(({ netBits }) => netBits >= certainBits)
    ? []
    : decoded.flatMap((forms) => forms.flatMap((form) => matchBySolving(form, derive, known)));
  const confirmed = [...matches, ...solved].flatMap((match) => confirm(match, decoded, derive));
  return toCandidates(confirmed, decoded[0] ?? [], derive);
}

function matchByRule(
  form: DecodedPayload,
  derive: DeriveKeyMaterial,
  known: Uint8Array,
  payloadCount: number,
): Match[] {
  const matches: Match[] = [];
  for (const { cipher, plaintext, proofBits } of readBytes(form.bytes, derive)) {
    if (!isEqual(plaintext, known)) continue;
    const evidence = 8 * known.length + proofBits;
    const netBits = evidence - hypothesisBits - Math.log2(payloadCount);
    for (const encoding of form.encodings) {
      const named = { ...cipher, encoding };
      matches.push({ cipher: named, form, netBits, weight: evidence - rarityBits(named) });
    }
  }
  return matches;
}

function matchBySolving(
  form: DecodedPayload,
  derive: DeriveKeyMaterial,
  known: Uint8Array,
): Match[] {
  return solveFixedIvs(form.bytes, derive, known).flatMap((solved: SolvedIv) =>
    form.encodings.map((encoding) => {
      const cipher = { ...solved.cipher, encoding };
      const weight = solved.verifiedBits + solved.ivBits - rarityBits(cipher);
      return { cipher, form, netBits: solved.verifiedBits - hypothesisBits, weight };
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
  for (const forms of decoded) {
    if (forms.includes(match.form)) continue;
    const plaintext = readWith(match.cipher, forms, derive);
    if (plaintext === undefined) return [];
    const { bits } = assessPlaintext(plaintext);
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
  const candidates = new Map<string, CipherCandidate>();
  for (const { cipher, netBits } of worthNaming(matches)) {
    const notation = formatCipher(cipher);
    const plaintext = readWith(cipher, forms, derive);
    if (plaintext === undefined || candidates.has(notation)) continue;
    candidates.set(notation, { cipher: notation, confidence: confidenceOf(netBits), plaintext });
  }
  return [...candidates.values()].slice(0, mostCandidates);
}

/** The best first; beside a sure one only those that are about as good. */
function worthNaming(matches: readonly Match[]): readonly Match[] {
  const ordered = matches.toSorted((left, right) => right.weight - left.weight);
  const best = ordered[0]?.weight ?? 0;
  const isSure = ordered.some(({ netBits }) => netBits >= certainBits);
  return isSure ? ordered.filter(({ weight }) => best - weight <= equalBits) : ordered;
}

/** What the cipher makes of a payload, in the form that its encoding gives. */
function readWith(
  cipher: Cipher,
  forms: readonly DecodedPayload[],
  derive: DeriveKeyMaterial,
): Uint8Array | undefined {
  const form = forms.find(({ encodings }) => encodings.includes(cipher.encoding));
  const result = form && decryptBytes(form.bytes, derive, cipher);
  return result?.ok ? result.plaintext : undefined;
}

function confidenceOf(netBits: number): CipherCandidate['confidence'] {
  if (netBits >= certainBits) return 'certain';
  return netBits > 0 ? 'likely' : 'possible';
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && Buffer.compare(left, right) === 0;
}
