import {
  constantTimeEqual,
  decodeBase64Strict,
  decodeUtf8,
  encodeBase64,
  encodeHex,
  encodeUtf8,
} from '../bytes.ts';
import {
  algorithmOf,
  briefCipher,
  type Cipher,
  formatCipher,
  isBlockMode,
  ivBytesOf,
  parseCipher,
} from '../crypto/cipher.ts';
import { decodePayload, decryptPayload } from '../crypto/payload-ciphers.ts';
import { fingerprintOfKey } from '../crypto/secret.ts';
import { peelEscapes, peelPercent, peelQuotes } from '../crypto/text-layers.ts';
import type { Diagnosis } from '../errors.ts';
import { firstOf } from '../text.ts';
import {
  assessAfterFirstBlock,
  type CipherCandidate,
  identifyCipher,
  otherIvs,
} from './cipher-identification.ts';
import { diagnosis, likely } from './diagnosis.ts';
import { payloadCodeOf } from './passcode.ts';
import {
  assessPlaintext,
  isJson,
  isPlausiblePlaintext,
  type ShapeKind,
  type TornShape,
  tornShape,
} from './plausibility.ts';

/** A payload, its per-user key, and what is known beside them. */
export interface SealedPayload {
  readonly payload: string;
  readonly key: string;
  /** The cipher that was expected. */
  readonly cipher: Cipher;
  /** The name of the field for messages, such as `ptn_sp`. */
  readonly field?: string | undefined;
  readonly kind?: ShapeKind | undefined;
  /** Other per-user keys: earlier ones of this user, those of other users. */
  readonly otherKeys?: readonly string[] | undefined;
}

export interface PayloadFinding {
  readonly diagnosis: Diagnosis;
  /** The cipher to set, in the canonical notation. */
  readonly fittingCipher?: string | undefined;
  /** Every cipher that makes sense of the payload, the best first. */
  readonly candidates: readonly CipherCandidate[];
}

/** How a sentence names a payload whose field is not known. */
const unnamed = 'The payload';

/**
 * Explains a payload that does not decrypt under the expected cipher, or decrypts to noise, by the
 * first of: another cipher, damage on the way, another key, the step that failed. Never throws; no
 * message contains a secret.
 */
export function diagnosePayload(seen: SealedPayload): PayloadFinding {
  const candidates = findOtherCiphers(seen);
  const found = explainOtherwise(seen, candidates);
  if (found !== undefined) return found;
  return { diagnosis: failedStep(seen, whatReadsIt(candidates), candidates), candidates };
}

/** A few bytes are text under some stream cipher by chance, whatever the key. */
function whatReadsIt(candidates: readonly CipherCandidate[]): string {
  if (candidates.length === 0) return 'no other cipher decrypts it to text with this key';
  const all = new Set(candidates.map(({ cipher }) => briefCipher(parseCipher(cipher))));
  const read = all.size === 1 ? 'reads' : 'read';
  return `${firstOf([...all], mostNamed)} ${read} text from it, but it is too short to tell whether that is by chance`;
}

const mostNamed = 4;

/** Names the step that failed alone: to search for another cipher, as {@link diagnosePayload} does, takes up to a second. */
export function diagnoseFailedStep(seen: SealedPayload): Diagnosis {
  return failedStep(seen, 'other ciphers were tried for earlier payloads only');
}

/**
 * Why a payload that decrypts under the expected cipher was nevertheless not made with it: another
 * cipher, key or text makes better sense, or the first block doesn't fit what follows. Undefined where
 * the plaintext is what was encrypted, as far as can be seen. Never throws; no message contains a secret.
 */
export function examinePlaintext(
  seen: SealedPayload,
  plaintext: Uint8Array,
): PayloadFinding | undefined {
  const { cipher, kind } = seen;
  // No heuristic about the first block outweighs a whole text.
  if (isJson(decodeUtf8(plaintext) ?? '')) return undefined;
  const isPlausible = isPlausiblePlaintext(plaintext, kind);
  const reading = isPlausible ? longerReading(seen, plaintext) : undefined;
  const shape = isPlausible ? tornShape(plaintext, cipher) : undefined;
  if (isPlausible && reading === undefined && shape === undefined) return undefined;
  // The padding proves nothing here: it is right under the expected cipher too.
  const candidates = findOtherCiphers(seen).filter(
    (other) =>
      isPlausiblePlaintext(other.plaintext, kind) && !constantTimeEqual(other.plaintext, plaintext),
  );
  const found = explainOtherwise(seen, candidates);
  if (found !== undefined) return found;
  if (reading !== undefined) return mismatch(seen, reading, 'likely', candidates);
  const observed = shape === undefined ? noiseBeforeText(plaintext, seen) : inTheMiddleOf(shape);
  return observed === undefined ? undefined : { diagnosis: otherIv(observed, cipher), candidates };
}

const inTheMiddleOf = (shape: TornShape): string => `begins in the middle of ${shape}`;

function explainOtherwise(
  seen: SealedPayload,
  candidates: readonly CipherCandidate[],
): PayloadFinding | undefined {
  const [best] = candidates;
  const cipher = best && parseCipher(best.cipher);
  const shape = cipher && tornShape(best.plaintext, cipher);
  if (shape) return { diagnosis: otherIv(inTheMiddleOf(shape), cipher), candidates };
  if (cipher && best.confidence !== 'possible') {
    return mismatch(seen, cipher, best.confidence, candidates);
  }
  return repaired(seen) ?? foreignKey(seen);
}

/**
 * The cipher with an IV that is not in the payload, under which the same text has one block more in
 * front: a random IV reads as a block of text once in 2^22.
 */
function longerReading({ payload, key, cipher }: SealedPayload, plaintext: Uint8Array) {
  const ivBytes = ivBytesOf(cipher);
  const { mode } = algorithmOf(cipher);
  const isHidden = cipher.iv === 'prefix' && (mode === 'cbc' || mode === 'cfb') && ivBytes >= 16;
  if (!isHidden) return undefined;
  return otherIvs(cipher).find((other) => {
    const result = decryptPayload(payload, key, other);
    if (!result.ok || result.plaintext.length !== plaintext.length + ivBytes) return false;
    return isPlausiblePlaintext(result.plaintext);
  });
}

function noiseBeforeText(plaintext: Uint8Array, { cipher, kind }: SealedPayload) {
  const { blockBytes } = algorithmOf(cipher);
  const { bits, isClean } = assessAfterFirstBlock(cipher, plaintext, kind);
  const isText = plaintext.length >= 2 * blockBytes && isClean && bits >= enoughBits;
  return isText ? `has ${blockBytes} bytes of noise before its text` : undefined;
}

/** How much likelier than noise a text has to be, in bits. */
const enoughBits = 20;

function otherIv(observed: string, cipher: Cipher): Diagnosis {
  const message = `Decrypted with ${briefCipher(cipher)}, the plaintext ${observed}: it was encrypted with another IV, such as one fixed in the code.`;
  const evidence = { cipher: formatCipher(cipher) };
  return likely(diagnosis('cipher-mismatch', message, fixedIvHint, evidence));
}

/** Explains a payload of which no cipher makes sense; that of `seen` is the likeliest. */
export function diagnoseNoCipher(seen: SealedPayload): Diagnosis {
  const found = diagnosePayload(seen).diagnosis;
  if (found.code === 'payload-encoding' || found.code === 'wrong-key') return found;
  const message = `No cipher of the notation decrypts ${seen.field ?? 'the payload'} to text with this key.`;
  return likely(diagnosis('wrong-key', message, found.hint));
}

function findOtherCiphers({
  payload,
  key,
  cipher,
  kind,
}: SealedPayload): readonly CipherCandidate[] {
  const set = formatCipher(cipher);
  return identifyCipher([payload], key, { kind }).filter((other) => other.cipher !== set);
}

function mismatch(
  { cipher, field = unnamed }: SealedPayload,
  fitting: Cipher,
  confidence: CipherCandidate['confidence'],
  candidates: readonly CipherCandidate[],
): PayloadFinding {
  const set = formatCipher(cipher);
  const fittingCipher = formatCipher(fitting);
  const different = findDifferences(cipher, fitting);
  const isEncoding = different.length === 1 && different[0]?.startsWith('encoding ');
  const found = diagnosis(
    isEncoding ? 'payload-encoding' : 'cipher-mismatch',
    `${field} is not encrypted with the configured cipher, ${set}; it decrypts with ${fittingCipher} (${different.join(', ')}; ${confidence}).`,
    `Set the cipher to ${fittingCipher}, or change the other side to use the configured one.`,
    { cipher: set, fitting_cipher: fittingCipher },
  );
  const isProven = confidence === 'certain';
  return { diagnosis: isProven ? found : likely(found), fittingCipher, candidates };
}

function repaired(seen: SealedPayload): PayloadFinding | undefined {
  if (seen.payload.length > longestDamaged) return undefined;
  for (const [damage, fix, undo] of repairs) {
    const payload = undo(seen.payload);
    if (payload === undefined || payload === seen.payload) continue;
    const fitting = cipherOf(payload, seen);
    if (fitting === undefined) continue;
    const isSet = fitting === formatCipher(seen.cipher);
    const read = isSet ? 'it decrypts' : `it decrypts with ${fitting}`;
    const message = `${seen.field ?? unnamed} ${damage}; with that undone, ${read}.`;
    const found = diagnosis('payload-encoding', message, fix);
    return { diagnosis: found, fittingCipher: isSet ? undefined : fitting, candidates: [] };
  }
  return undefined;
}

function cipherOf(payload: string, { key, cipher, kind }: SealedPayload) {
  const result = decryptPayload(payload, key, cipher);
  if (result.ok && isPlausiblePlaintext(result.plaintext)) return formatCipher(cipher);
  const [best] = identifyCipher([payload], key, { kind });
  return best === undefined || best.confidence === 'possible' ? undefined : best.cipher;
}

/** Longer texts are not searched for damage. */
const longestDamaged = 1_048_576;

const serialiseOnce = 'Serialise once: the text was already JSON when it was put into the field.';

/**
 * What may have happened to a payload on its way: as the subject's complement, what to change where the
 * text was made or carried, and how it is undone; undefined where the text has no such damage.
 */
const repairs: readonly (readonly [
  damage: string,
  fix: string,
  undo: (payload: string) => string | undefined,
])[] = [
  [
    'has quotation marks inside the field',
    serialiseOnce,
    (text) => peelQuotes(text.trim())?.content,
  ],
  [
    'has line ends or slashes that were escaped twice',
    serialiseOnce,
    (text) => peelEscapes(text)?.content,
  ],
  [
    'is percent-encoded',
    'Do not URL-encode it: Base64 in a JSON body needs no URL encoding.',
    (text) => peelPercent(text)?.content,
  ],
  [
    'has spaces where Base64 has "+"',
    'Send it as JSON: form decoding turned "+" into a space.',
    (text) => (/\S ./.test(text) ? text.trim().replaceAll(' ', '+') : undefined),
  ],
  [
    'is Base64 of text that is already encoded',
    'Encode the ciphertext once: the library already returned encoded text, not bytes.',
    innerText,
  ],
];

/** Base64 whose bytes are digits of Base64 or hexadecimal again. */
function innerText(payload: string): string | undefined {
  const bytes = decodeBase64Strict(payload.trim());
  const inner = bytes && decodeUtf8(bytes);
  return inner !== undefined && /^[A-Za-z0-9+/_-]{16,}={0,2}\s*$/.test(inner) ? inner : undefined;
}

function failedStep(
  { payload, key, cipher, field = unnamed }: SealedPayload,
  searched: string,
  candidates: readonly CipherCandidate[] = [],
): Diagnosis {
  const hint = candidates.length > 0 ? moreTextHint : otherKeyHint;
  const result = decryptPayload(payload, key, cipher);
  if (result.ok) {
    const message = `${field} decrypts to bytes that are not text, and ${searched}.`;
    return likely(diagnosis('wrong-key', message, hint));
  }
  const code = payloadCodeOf[result.failure];
  if (code === 'payload-encoding' && looksPlain(payload)) {
    const message = `${field} looks like plain text that was never encrypted (${result.detail}).`;
    const fix = 'Encrypt the field with the per-user key before it is sent.';
    return likely(diagnosis(code, message, fix));
  }
  const observed = lackOfIv(payload, cipher);
  const message = `${field} can't be decrypted: ${observed ?? result.detail}; ${searched}.`;
  if (observed !== undefined) return likely(diagnosis('cipher-mismatch', message, fixedIvHint));
  const isEncoding = code === 'payload-encoding' && candidates.length === 0;
  if (isEncoding) return diagnosis(code, message, wholeTextHint);
  return likely(diagnosis(code, message, hint));
}

const moreTextHint =
  'Decide with more text of this user: `authcli cipher identify` with another payload as --payload, or with --known-plaintext.';

const otherKeyHint =
  "Check whether another key was used: another user's, or one that a later key exchange replaced. If the key is right, the notation does not cover this cipher.";

/** What differs between two ciphers: "iv key-head instead of prefix". */
function findDifferences(expected: Cipher, fitting: Cipher): string[] {
  const names = Object.keys({ ...expected, ...fitting }) as (keyof Cipher)[];
  return names.flatMap((name) => {
    const [from = 'absent', to = 'absent'] = [expected[name], fitting[name]];
    return from === to ? [] : [`${name} ${to} instead of ${from}`];
  });
}

/** Text with the marks of a passcode or of user information: digits alone, an address, JSON, markup. */
function looksPlain(payload: string): boolean {
  const text = payload.slice(0, 4096).trim();
  return /^(?:\d{4,16}|[{<].*[}>]|[^\s@]{1,64}@[^\s@]{1,255}\.[a-z]{2,}.*)$/is.test(text);
}

/** What shows that a payload has no IV in front, though its cipher has one there: a single block. */
function lackOfIv(payload: string, cipher: Cipher): string | undefined {
  const decoded = decodePayload(payload, cipher.encoding);
  const hasIv = cipher.iv === 'prefix' && isBlockMode(algorithmOf(cipher).mode);
  const bytes = ivBytesOf(cipher);
  if (!hasIv || !decoded.ok || decoded.bytes.length !== bytes) return undefined;
  return `its ${bytes} bytes are exactly one block, without the IV that ${briefCipher(cipher)} has in front`;
}

const fixedIvHint =
  'Have the other side send a random IV with each payload, or compute the fixed one: `authcli cipher identify` with --known-plaintext, and another payload of the user as --payload.';

const wholeTextHint =
  'Compare the text with what the other side sent, character by character: it may be truncated, or was never encrypted.';

/** Keys of other users are tried up to this number. */
const mostOtherKeys = 10_000;

/** The key that the payload was made with: the user's own in another form, or another known one. */
function foreignKey(seen: SealedPayload): PayloadFinding | undefined {
  const { payload, key, cipher, kind, otherKeys = [] } = seen;
  const own = decryptPayload(payload, key, cipher);
  const others = otherKeys.slice(0, mostOtherKeys).map((key) => ({ key, form: undefined }));
  const forms = keyForms.map(([form, apply]) => ({ key: apply(key), form }));
  const found = [...forms, ...others].find((other) => {
    const result = decryptPayload(payload, other.key, cipher);
    if (other.key === key || !result.ok) return false;
    if (own.ok && constantTimeEqual(result.plaintext, own.plaintext)) return false;
    const { bits, isClean } = assessPlaintext(result.plaintext, kind);
    return isClean && bits + checkBits(cipher) >= enoughBits;
  });
  if (found === undefined) return undefined;
  const used = found.form ?? `another known key, ${fingerprintOfKey(found.key)}`;
  const fix =
    found.form === undefined
      ? "Encrypt with the key from this user's latest key exchange: store keys per ptn_cd, and replace the key at each exchange."
      : 'Use the key exactly as it was sent in the key exchange.';
  const message = `${seen.field ?? unnamed} is encrypted with ${used}, not with this user's key.`;
  return { diagnosis: diagnosis('wrong-key', message, fix), candidates: [] };
}

/** The evidence in the check that the cipher itself makes, at the least. */
function checkBits({ tag, padding }: Cipher): number {
  if (tag !== undefined) return 128;
  return padding === 'pkcs7' || padding === 'ansix923' ? 8 : 0;
}

/** What a per-user key may have become where it was stored. */
export type KeyForm = readonly [description: string, apply: (key: string) => string];

const head = (key: string): string => key.slice(0, 1024);

/** The likeliest first. */
export const keyForms: readonly KeyForm[] = [
  ['this key in lower case', (key) => key.toLowerCase()],
  ['this key in upper case', (key) => key.toUpperCase()],
  ['this key followed by a line break', (key) => `${key}\n`],
  ['this key followed by a line break', (key) => `${key}\r\n`],
  ['this key without the white space around it', (key) => key.trim()],
  ['this key in quotation marks', (key) => `"${key}"`],
  ['this key in hexadecimal', (key) => encodeHex(encodeUtf8(head(key)))],
  ['this key in Base64', (key) => encodeBase64(encodeUtf8(head(key)))],
  ['this key reversed', (key) => [...head(key)].reverse().join('')],
];
