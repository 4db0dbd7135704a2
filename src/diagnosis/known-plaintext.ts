import { encodeHex, xor } from '../bytes.ts';
import { decryptBlock, encryptBlock } from '../crypto/block-cipher.ts';
import {
  type Algorithm,
  algorithmOf,
  type Cipher,
  type IvLength,
  isBlockMode,
  type Padding,
} from '../crypto/cipher.ts';
import { formatCipher, listCiphers } from '../crypto/cipher-notation.ts';
import { solveGcmIv } from '../crypto/ghash.ts';
import { deriveKeyMaterial } from '../crypto/key-derivation.ts';
import { decryptBytes, peekPlaintext } from '../crypto/payload-ciphers.ts';
import { pad } from '../crypto/payload-format.ts';
import { rarityBits } from './cipher-priors.ts';
import {
  type CipherCandidate,
  type DecodedPayload,
  equalBits,
  hypothesisBits,
  mostCandidates,
  readBytes,
  withOneCertain,
} from './cipher-readings.ts';
import { assessPlaintext } from './plausibility.ts';

/** A cipher under which one payload reads as the known plaintext. */
interface Match {
  readonly cipher: Cipher;
  readonly form: DecodedPayload;
  /** log2 of how much likelier the match is than by chance, the search taken into account. */
  readonly netBits: number;
  readonly weight: number;
}

/** Beyond chance by this many bits a match is certain: one error in 4,096 wrong plaintexts. */
const certainBits = 12;

/**
 * The ciphers under which one of the payloads reads as the known plaintext, the best first. Where no
 * rule of the notation fits, a fixed IV is solved for and given as `hex:…`: only `possible` unless
 * further blocks or payloads confirm it, since any key has an IV that fits.
 */
export function matchKnownPlaintext(
  decoded: readonly DecodedPayload[][],
  key: string,
  known: Uint8Array,
): CipherCandidate[] {
  const matches = decoded.flatMap((forms) =>
    forms.flatMap((form) => matchByRule(form, key, known, decoded.length)),
  );
  const solved = matches.some(({ netBits }) => netBits >= certainBits)
    ? []
    : decoded.flatMap((forms) => forms.flatMap((form) => matchBySolving(form, key, known)));
  const confirmed = [...matches, ...solved].flatMap((match) => confirm(match, decoded, key));
  return toCandidates(confirmed, decoded[0] ?? [], key);
}

function matchByRule(
  form: DecodedPayload,
  key: string,
  known: Uint8Array,
  payloadCount: number,
): Match[] {
  const matches: Match[] = [];
  for (const { cipher, plaintext, proofBits } of readBytes(form.bytes, key)) {
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

/** A fixed IV that looks written by hand weighs more than one that was drawn. */
function matchBySolving(form: DecodedPayload, key: string, known: Uint8Array): Match[] {
  return listCiphers()
    .filter(({ iv, encoding }) => iv === 'zero' && encoding === 'base64')
    .flatMap((candidate) => {
      const iv = solveIv(candidate, form.bytes, key, known);
      if (iv === undefined) return [];
      const solved: Cipher = { ...candidate, iv: `hex:${encodeHex(iv)}` };
      if (!isReadAs(known, form.bytes, key, solved)) return [];
      const bits = verifiedBits(solved, form.bytes);
      return form.encodings.map((encoding) => {
        const cipher = { ...solved, encoding };
        const weight = bits + ivBits(iv) - rarityBits(cipher);
        return { cipher, form, netBits: bits - hypothesisBits, weight };
      });
    });
}

/** Weighs what a match makes of the other payloads; a cipher that can't read one of them is out. */
function confirm(match: Match, decoded: readonly DecodedPayload[][], key: string): Match[] {
  let { netBits, weight } = match;
  for (const forms of decoded) {
    if (forms.includes(match.form)) continue;
    const plaintext = readWith(match.cipher, forms, key);
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
  key: string,
): CipherCandidate[] {
  const candidates = new Map<string, CipherCandidate>();
  for (const { cipher, netBits } of worthNaming(matches)) {
    const notation = formatCipher(cipher);
    const plaintext = readWith(cipher, forms, key);
    if (plaintext === undefined || candidates.has(notation)) continue;
    candidates.set(notation, { cipher: notation, confidence: confidenceOf(netBits), plaintext });
  }
  return withOneCertain([...candidates.values()].slice(0, mostCandidates));
}

function worthNaming(matches: readonly Match[]): readonly Match[] {
  const ordered = matches.toSorted((left, right) => right.weight - left.weight);
  const best = ordered[0]?.weight ?? 0;
  const isSure = ordered.some(({ netBits }) => netBits >= certainBits);
  return isSure ? ordered.filter(({ weight }) => best - weight <= equalBits) : ordered;
}

function readWith(
  cipher: Cipher,
  forms: readonly DecodedPayload[],
  key: string,
): Uint8Array | undefined {
  const form = forms.find(({ encodings }) => encodings.includes(cipher.encoding));
  const result = form && decryptBytes(form.bytes, key, cipher);
  return result?.ok ? result.plaintext : undefined;
}

function confidenceOf(netBits: number): CipherCandidate['confidence'] {
  if (netBits >= certainBits) return 'certain';
  return netBits > 0 ? 'likely' : 'possible';
}

function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

const peekedBytes = 64;

/** The beginning decides first: a whole decryption of every candidate takes long. */
function isReadAs(known: Uint8Array, bytes: Uint8Array, key: string, cipher: Cipher): boolean {
  const head = peekPlaintext(bytes, key, cipher, peekedBytes)?.subarray(0, known.length);
  if (head === undefined || !isEqual(head, known.subarray(0, head.length))) return false;
  const result = decryptBytes(bytes, key, cipher);
  return result.ok && isEqual(result.plaintext, known);
}

/**
 * Solves the IV that is not part of the payload from the first block of a known plaintext, which
 * with its padding has to fill that block:
 *
 * - CBC: P1 = D(C1) xor IV (NIST SP 800-38A 6.2)
 * - CFB and CTR: P1 = C1 xor E(IV) (6.3, 6.5)
 * - GCM: P1 = C1 xor E(J0 + 1), from which the IV follows (SP 800-38D 7.1)
 */
function solveIv(
  cipher: Cipher,
  bytes: Uint8Array,
  key: string,
  known: Uint8Array,
): Uint8Array | undefined {
  const algorithm = algorithmOf(cipher);
  const { blockBytes, mode } = algorithm;
  const ciphertext = cipher.tag === 'after-iv' ? bytes.subarray(algorithm.tagBytes) : bytes;
  const plain = firstBlock(known, cipher.padding ?? 'none', algorithm);
  const derived = deriveKeyMaterial(key, cipher, new Uint8Array(0));
  if (plain === undefined || ciphertext.length < blockBytes || !derived.ok) return undefined;
  const { key: keyBytes } = derived;
  const first = ciphertext.subarray(0, blockBytes);
  if (mode === 'cbc') return xor(decryptBlock(algorithm, keyBytes, first), plain);
  const counter = decryptBlock(algorithm, keyBytes, xor(first, plain));
  if (mode !== 'gcm') return counter;
  return gcmIv(counter, cipher.ivlen, encryptBlock(algorithm, keyBytes, new Uint8Array(16)));
}

/** The plaintext's first block, padding included; undefined where it isn't known in whole. */
function firstBlock(
  known: Uint8Array,
  padding: Padding,
  { blockBytes, mode }: Algorithm,
): Uint8Array | undefined {
  if (known.length >= blockBytes) return known.subarray(0, blockBytes);
  const isUnknown = padding === 'iso10126' || padding === 'none';
  if (isUnknown || mode === 'gcm') return undefined;
  const padded = pad(known, padding, blockBytes, (size) => new Uint8Array(size));
  return padded.length < blockBytes ? undefined : padded.subarray(0, blockBytes);
}

/** SP 800-38D 7.1: the first text block is sealed with inc32(J0), and J0 = IV || 0^31 || 1 for 12 bytes. */
function gcmIv(
  counter: Uint8Array,
  ivlen: IvLength | undefined,
  hashSubkey: Uint8Array,
): Uint8Array | undefined {
  const preCounter = Buffer.from(counter);
  preCounter.writeUInt32BE((preCounter.readUInt32BE(12) - 1) >>> 0, 12);
  if (ivlen === 16) return solveGcmIv(preCounter, hashSubkey);
  return preCounter.readUInt32BE(12) === 1 ? preCounter.subarray(0, 12) : undefined;
}

/** A tag verifies everything; otherwise what follows the first block does. */
function verifiedBits(cipher: Cipher, bytes: Uint8Array): number {
  const { blockBytes, mode, tagBytes } = algorithmOf(cipher);
  if (tagBytes > 0) return 8 * tagBytes;
  const verified = 8 * (bytes.length - blockBytes);
  return isBlockMode(mode) && cipher.padding === 'none' ? verified - 1 : verified;
}

function ivBits(iv: Uint8Array): number {
  const steps = new Set(iv.map((byte, index) => byte - (iv[index - 1] ?? byte)).subarray(1));
  if (steps.size === 1) return 8 * iv.length - 16;
  return Math.max(0, assessPlaintext(iv).bits);
}
