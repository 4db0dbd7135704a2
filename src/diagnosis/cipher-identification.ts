import { hash } from 'node:crypto';
import { constantTimeEqual, decodeUtf8, encodeHex, encodeUtf8, xor } from '../bytes.ts';
import {
  type Algorithm,
  algorithmOf,
  type Cipher,
  formatCipher,
  type IvLength,
  isBlockMode,
  isSalted,
  listCiphers,
  type Padding,
  type PayloadEncoding,
} from '../crypto/cipher.ts';
import { solveGcmIv } from '../crypto/ghash.ts';
import { deriveKeyMaterial, saltMagic } from '../crypto/key-derivation.ts';
import {
  decodePayload,
  decryptBlock,
  decryptBytes,
  decryptPadded,
  encryptBlock,
  pad,
  peekPlaintext,
  unpad,
} from '../crypto/payload-ciphers.ts';
import { paddingEvidence, rarityBits, usualIvs } from './cipher-priors.ts';
import {
  assessPlaintext,
  isTextLike,
  noise,
  type Plausibility,
  type ShapeKind,
  tornShape,
} from './plausibility.ts';

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
  #readings: Readings = new Map();
  /** As {@link identifyCipher} returns them, of all payloads that were taken. */
  candidates: readonly CipherCandidate[] = [];

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
    this.candidates = candidates;
    return true;
  }
}

const decoded = (sample: PayloadSample) => ({ ...sample, forms: decodeAll(sample.payload) });

type DecodedSample = ReturnType<typeof decoded>;

const assess: Assessment = ({ plaintext }, kind) => assessPlaintext(plaintext, kind);

/** For a reading with `iv=zero`: text after the first block marks a fixed IV. */
const assessRest: Assessment = ({ cipher, plaintext }, kind) =>
  cipher.iv === 'zero' ? assessAfterFirstBlock(cipher, plaintext, kind) : noise;

/** Without a whole text, those are weighed of which a wrong IV hides the beginning. */
function candidatesOf(readings: Readings, samples: readonly DecodedSample[]): CipherCandidate[] {
  const ranked = rankReadings([...readings.values()]);
  const [best] = ranked;
  if (best !== undefined && !isCut(best.plaintext)) return ranked;
  const partly = [...weighTogether(samples, assessRest).values()];
  const named = new Set(ranked.map(({ cipher }) => cipher));
  const isProven = ({ isClean, evidence }: WeighedReading) =>
    isClean && evidence - hypothesisBits >= partlyReadBits;
  const possible = rankReadings(partly.filter(isProven))
    .filter(({ cipher }) => !named.has(cipher))
    .map((candidate) => ({ ...candidate, confidence: 'possible' as const }));
  return [...ranked, ...possible].slice(0, mostCandidates);
}

function weighTogether(samples: readonly DecodedSample[], assessment: Assessment): Readings {
  const [first, ...others] = samples.map((sample) => weighPayload(sample, assessment));
  return first === undefined ? new Map() : others.reduce(combine, first);
}

type Assessment = (reading: Reading, kind: ShapeKind | undefined) => Plausibility;

function weighPayload(
  { forms, key, kind }: DecodedSample,
  assessment: Assessment,
  ciphers?: Iterable<Cipher>,
): Readings {
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
    textId: hash('sha256', plaintext),
    isClean,
    isCut: isCut(plaintext),
    isTorn: tornShape(plaintext, cipher) !== undefined,
    evidence: textBits + proofBits,
    rarity: rarityBits(cipher),
  };
}

/** The readings that fit both; evidence of different payloads adds up. */
function combine(left: Readings, right: Readings): Readings {
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

/** Weighs what follows the first block: in CBC and CFB a wrong IV leaves noise in that block alone. */
export function assessAfterFirstBlock(
  cipher: Cipher,
  plaintext: Uint8Array,
  kind: ShapeKind | undefined,
): Plausibility {
  const { mode, blockBytes } = algorithmOf(cipher);
  if (mode !== 'cbc' && mode !== 'cfb') return noise;
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

/** By the notation of their ciphers. */
type Readings = ReadonlyMap<string, WeighedReading>;

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
  // A reading whose text is noise must have proof of its own.
  const isWorthNaming = ([first]: Group) => first.isClean || first.evidence >= hypothesisBits;
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

function weightOf({ evidence, rarity }: WeighedReading): number {
  return evidence - rarity;
}

/** A cipher under which one payload reads as the known plaintext. */
interface Match {
  readonly cipher: Cipher;
  readonly form: DecodedPayload;
  /** log2 of how much likelier the match is than by chance, the search taken into account. */
  readonly netBits: number;
  readonly weight: number;
}

/** Beyond chance by this many bits a match is certain: one error in 4,096 wrong plaintexts. */
const certainMatchBits = 12;

/**
 * The ciphers under which one of the payloads reads as the known plaintext, the best first. Where no
 * rule of the notation fits, a fixed IV is solved for and given as `hex:…`: only `possible` unless
 * further blocks or payloads confirm it, since any key has an IV that fits.
 */
function matchKnownPlaintext(
  decoded: readonly DecodedPayload[][],
  key: string,
  known: Uint8Array,
): CipherCandidate[] {
  const matches = decoded.flatMap((forms) =>
    forms.flatMap((form) => matchByRule(form, key, known, decoded.length)),
  );
  const solved = matches.some(({ netBits }) => netBits >= certainMatchBits)
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
    if (!constantTimeEqual(plaintext, known)) continue;
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
  let bits = 0;
  for (const forms of decoded) {
    if (forms.includes(match.form)) continue;
    const plaintext = readWith(match.cipher, forms, key);
    if (plaintext === undefined) return [];
    bits += assessPlaintext(plaintext).bits;
  }
  return [{ ...match, netBits: match.netBits + bits, weight: match.weight + bits }];
}

function toCandidates(
  matches: readonly Match[],
  forms: readonly DecodedPayload[],
  key: string,
): CipherCandidate[] {
  const best = Math.max(...matches.map(({ weight }) => weight));
  const isSure = matches.some(({ netBits }) => netBits >= certainMatchBits);
  const candidates = new Map<string, CipherCandidate>();
  for (const match of matches.toSorted((left, right) => right.weight - left.weight)) {
    const cipher = formatCipher(match.cipher);
    const plaintext = readWith(match.cipher, forms, key);
    if (plaintext === undefined || candidates.has(cipher)) continue;
    if (isSure && best - match.weight > equalBits) continue;
    const isLikely = match.netBits > 0 ? 'likely' : 'possible';
    const confidence = match.netBits >= certainMatchBits ? 'certain' : isLikely;
    candidates.set(cipher, { cipher, confidence, plaintext });
  }
  return withOneCertain([...candidates.values()].slice(0, mostCandidates));
}

function readWith(cipher: Cipher, forms: readonly DecodedPayload[], key: string) {
  const form = forms.find(({ encodings }) => encodings.includes(cipher.encoding));
  const result = form && decryptBytes(form.bytes, key, cipher);
  return result?.ok ? result.plaintext : undefined;
}

const peekedBytes = 64;

/** The beginning decides first: a whole decryption of every candidate takes long. */
function isReadAs(known: Uint8Array, bytes: Uint8Array, key: string, cipher: Cipher): boolean {
  const head = peekPlaintext(bytes, key, cipher, peekedBytes)?.subarray(0, known.length);
  if (head === undefined || !constantTimeEqual(head, known.subarray(0, head.length))) return false;
  const result = decryptBytes(bytes, key, cipher);
  return result.ok && constantTimeEqual(result.plaintext, known);
}

/**
 * Solves the IV that is not part of the payload from the first block of a known plaintext, which
 * with its padding has to fill that block:
 *
 * - CBC: P1 = D(C1) xor IV (NIST SP 800-38A 6.2)
 * - CFB and CTR: P1 = C1 xor E(IV) (6.3, 6.5)
 * - GCM: P1 = C1 xor E(J0 + 1), from which the IV follows (SP 800-38D 7.1)
 */
function solveIv(cipher: Cipher, bytes: Uint8Array, key: string, known: Uint8Array) {
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
function firstBlock(known: Uint8Array, padding: Padding, { blockBytes, mode }: Algorithm) {
  if (known.length >= blockBytes) return known.subarray(0, blockBytes);
  const isUnknown = padding === 'iso10126' || padding === 'none';
  if (isUnknown || mode === 'gcm') return undefined;
  const padded = pad(known, padding, blockBytes, (size) => new Uint8Array(size));
  return padded.length < blockBytes ? undefined : padded.subarray(0, blockBytes);
}

/** SP 800-38D 7.1: the first text block is sealed with inc32(J0), and J0 = IV || 0^31 || 1 for 12 bytes. */
function gcmIv(counter: Uint8Array, ivlen: IvLength | undefined, hashSubkey: Uint8Array) {
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

interface Reading {
  readonly cipher: Cipher;
  /** The same without padding and encoding: one of those that were tried. */
  readonly tried: Cipher;
  readonly plaintext: Uint8Array;
  readonly proofBits: number;
}

/** A payload's bytes, with the encodings that give them, the likelier first. */
interface DecodedPayload {
  readonly bytes: Uint8Array;
  readonly encodings: readonly PayloadEncoding[];
  /** Its Base64 has no "=" where standard encoders write it. */
  readonly lacksPadding: boolean;
}

export interface CipherCandidate {
  /** In the canonical notation. */
  readonly cipher: string;
  readonly confidence: 'certain' | 'likely' | 'possible';
  readonly plaintext: Uint8Array;
}

/**
 * Never two certain ones: ciphers that give the same text from these payloads, such as ECB and CBC
 * with a zero IV of one block, can't be distinguished. Of those that differ in padding, encoding or the
 * length of a fixed IV alone the first is the usual one, and stays.
 */
function withOneCertain(candidates: readonly CipherCandidate[]): CipherCandidate[] {
  const certain = candidates.filter(({ confidence }) => confidence === 'certain');
  const form = /[?&](?:padding|encoding|ivlen|iv=hex:)[^&]*/g;
  const isSettled = new Set(certain.map(({ cipher }) => cipher.replace(form, ''))).size < 2;
  return candidates.map((candidate) =>
    candidate.confidence !== 'certain' || (isSettled && candidate === certain[0])
      ? candidate
      : { ...candidate, confidence: 'likely' },
  );
}

/** log2 of the readings that are tried for one payload, rounded up: 5,116, of some texts twice. */
const hypothesisBits = 14;

/** Readings with one text are named within this distance of the best. */
const equalBits = 6.5;

/** How much rarer standard Base64 without its "=" is than base64url, in bits. */
const unpaddedBits = 4;

const mostCandidates = 10;

/** Longer ciphertexts are decrypted only where their beginning is text. */
const wholeBytes = 4096;

const tagBits = 128;

let cached: readonly Cipher[] | undefined;

/** Every way to decrypt, encoding and padding aside. */
function ciphersToTry(): readonly Cipher[] {
  cached ??= listCiphers()
    .filter(({ encoding, padding = 'none' }) => encoding === 'base64' && padding === 'none')
    .flatMap((cipher) => [cipher, ...withUsualIvs(cipher)]);
  return cached;
}

function withUsualIvs(cipher: Cipher): Cipher[] {
  const { ivBytes, mode } = algorithmOf(cipher);
  if (cipher.iv !== 'zero' || mode === 'gcm') return [];
  const digits = 2 * (ivBytes[0] ?? 0);
  const ivs = new Set(usualIvs.map((iv) => iv.slice(0, digits)));
  return [...ivs].map((iv) => ({ ...cipher, iv: `hex:${iv}` as const }));
}

/** The same cipher with each rule that takes the IV from elsewhere, and each usual fixed IV. */
export function otherIvs(cipher: Cipher): readonly Cipher[] {
  const zero: Cipher = { ...cipher, iv: 'zero' };
  const ofKey = (['key-head', 'key-tail'] as const).map((iv) => ({ ...cipher, iv }));
  return [zero, ...ofKey, ...withUsualIvs(zero)];
}

/** Base64 of noise is this many hexadecimal digits once in 2^49. */
const surelyHexDigits = 32;

/** The bytes of a payload's text in each encoding that it can be; empty for text in none. */
function decodeAll(payload: string): DecodedPayload[] {
  const found: DecodedPayload[] = [];
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    const decoded = decodePayload(payload, encoding);
    if (!decoded.ok) continue;
    const isBoth = encoding === 'base64' && !/[+/]/.test(payload);
    const lacksPadding = encoding !== 'hex' && payload.replace(/\s+/g, '').length % 4 !== 0;
    const encodings = isBoth ? (['base64', 'base64url'] as const) : [encoding];
    found.push({ bytes: decoded.bytes, encodings, lacksPadding });
    if (isBoth || (encoding === 'hex' && 2 * decoded.bytes.length >= surelyHexDigits)) break;
  }
  return found;
}

/** Every reading by `ciphers` that tag and padding allow; after "Salted__" only `evp-*` is tried. */
function* readBytes(
  bytes: Uint8Array,
  key: string,
  ciphers: Iterable<Cipher> = ciphersToTry(),
): Generator<Reading> {
  const isSaltedPayload = Buffer.from(bytes.subarray(0, saltMagic.length)).equals(saltMagic);
  for (const cipher of ciphers) {
    if (isSalted(cipher.key) !== isSaltedPayload) continue;
    const padded = decryptWhole(bytes, key, cipher);
    if (padded !== undefined) yield* withoutPadding(padded, cipher);
  }
}

function decryptWhole(bytes: Uint8Array, key: string, cipher: Cipher): Uint8Array | undefined {
  if (bytes.length > wholeBytes) {
    const head = peekPlaintext(bytes, key, cipher, wholeBytes);
    // The first block is noise where the IV is unknown; what follows must be text.
    if (head === undefined || !isTextLike(skipCharacter(head.subarray(16)), true)) return undefined;
  }
  const result = decryptPadded(bytes, key, cipher);
  return result.ok ? result.plaintext : undefined;
}

/** Without the bytes of a UTF-8 character that began before. */
function skipCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}

function* withoutPadding(padded: Uint8Array, cipher: Cipher): Generator<Reading> {
  const { mode, blockBytes, paddings } = algorithmOf(cipher);
  if (mode === 'gcm') yield { cipher, tried: cipher, plaintext: padded, proofBits: tagBits };
  for (const padding of paddings) {
    if (!isBlockMode(mode) && padding !== 'none' && padded.length % blockBytes !== 0) continue;
    const result = unpad(padded, padding, blockBytes);
    if (!result.ok) continue;
    const { plaintext } = result;
    const evidence = paddingEvidence(padding, padded.length - plaintext.length, blockBytes);
    // A stream mode needs no padding, so its absence is not surprising there.
    const ofStream = padding === 'none' ? 0 : evidence - 1;
    const proofBits = isBlockMode(mode) ? evidence : ofStream;
    yield { cipher: { ...cipher, padding }, tried: cipher, plaintext, proofBits };
  }
}
