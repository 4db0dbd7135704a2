import { decodeBase64Strict, decodeUtf8 } from '../bytes.ts';
import { identifyOaep, type OaepReading } from '../crypto/eme-oaep.ts';
import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { decodeEmePkcs1V15, rsadp } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { type Base64Layer, type Layer, peel } from '../crypto/text-layers.ts';
import { type Calls, type Diagnosis, type DiagnosisCode, keyFormCodes } from '../errors.ts';
import { counted, isUuid } from '../text.ts';
import { publicKeyCalls, wrapCalls } from './calls.ts';
import { diagnose } from './catalogue.ts';
import { diagnosis, likely } from './diagnosis.ts';
import {
  diagnosePerUserKey,
  looksLikePerUserKey,
  type PerUserKeyContext,
  zeroBytes,
} from './per-user-key.ts';

interface WrappedKeyContext extends PerUserKeyContext {
  /** The private half of the `public_key` that was sent. */
  readonly privateKey: RsaPrivateKey;
  /** Keys whose public halves were sent earlier. */
  readonly otherPrivateKeys?: readonly RsaPrivateKey[];
}

export interface WrappedKeyFinding {
  /** The key that could be read, from a damaged wrap too: a secret. */
  readonly key?: string;
  /** Whether it decrypts as the interface says (2.2) to 32 characters; it may still be weak. */
  readonly ok: boolean;
  /** Every cause, outermost first; weaknesses of the key last. */
  readonly diagnoses: readonly Diagnosis[];
  /** What is harmless and still not exact, as sentences without a full stop. */
  readonly notes: readonly string[];
}

/** Opens an `enc_partner_key` however it was made, and names everything that breaks 2.2 and 4.1.1. */
export function diagnoseWrappedKey(
  encPartnerKey: string,
  context: WrappedKeyContext,
): WrappedKeyFinding {
  const keys = [context.privateKey, ...(context.otherPrivateKeys ?? [])];
  const sizes = keys.map(({ modulusBytes }) => modulusBytes);
  const { bytes, plainKey, diagnoses: outer, notes } = readWrappedText(encPartnerKey, sizes);
  const { message, diagnoses: inner }: Opened = bytes
    ? openCiphertext(bytes, context)
    : { message: plainKey === undefined ? undefined : Buffer.from(plainKey), diagnoses: [] };
  const wrap = [...outer, ...inner];
  if (message === undefined || (message.length === 0 && wrap.length > 0)) {
    return { ok: false, diagnoses: wrap, notes };
  }
  const { key, diagnoses } = diagnosePerUserKey(message, context);
  const ok = wrap.length === 0 && !diagnoses.some(({ code }) => formCodes.includes(code));
  return { key: key || undefined, ok, diagnoses: [...wrap, ...diagnoses], notes };
}

const formCodes: readonly string[] = keyFormCodes;

/**
 * What can be said of an `enc_partner_key` without the private key: its encoding, and its length where
 * that of the modulus is known.
 */
export function diagnoseWrappedForm(
  encPartnerKey: string,
  modulusBytes: readonly number[],
): WrappedKeyFinding {
  const { bytes, plainKey: key, diagnoses, notes } = readWrappedText(encPartnerKey, modulusBytes);
  if (bytes && modulusBytes.length > 0 && !modulusBytes.includes(bytes.length)) {
    const message = `enc_partner_key has ${bytes.length} bytes, where the public_key of the request gives ${modulusBytes[0]}.`;
    diagnoses.push(diagnose('wrong-length', message));
  }
  return { key, ok: diagnoses.length === 0, diagnoses, notes };
}

interface Opened {
  readonly message?: Uint8Array | undefined;
  readonly diagnoses: readonly Diagnosis[];
}

const mostOtherKeys = 32;

/**
 * The first that leads to a text wins: as it is, reversed, with the other keys. Noise under the key of
 * the request counts where nothing does: a block of another key looks padded once in 100,000 times.
 */
function openCiphertext(bytes: Uint8Array, context: WrappedKeyContext): Opened {
  const { privateKey, otherPrivateKeys = [] } = context;
  const { fingerprint } = privateKey.publicKey;
  const others = otherPrivateKeys
    .slice(0, mostOtherKeys)
    .filter(
      (key) => key.publicKey.fingerprint !== fingerprint && key.modulusBytes === bytes.length,
    );
  let noise: Opened | undefined;
  let unchanged: Uint8Array | undefined;
  for (const key of [privateKey, ...others]) {
    const resized = resize(bytes, key.modulusBytes);
    if (resized === undefined) continue;
    const around = key === privateKey ? [] : [earlier(key.publicKey.fingerprint, fingerprint)];
    if (resized.fault) around.push(resized.fault);
    for (const isReversed of [false, true]) {
      const { ciphertext } = resized;
      const block = rsadp(key, isReversed ? ciphertext.toReversed() : ciphertext);
      const isUnchanged = around.length === 0 && !isReversed;
      if (isUnchanged) unchanged = block;
      const opened = block && openBlock(block);
      if (opened === undefined) continue;
      const { message, diagnosis } = opened;
      const diagnoses = [...around, isReversed ? reversed : [], diagnosis ?? []].flat();
      if (diagnosis !== undefined || isText(message)) return { message, diagnoses };
      if (isUnchanged) noise = { message, diagnoses };
    }
  }
  return noise ?? { diagnoses: [unopened(bytes, context, unchanged)] };
}

const reversed = diagnose(
  'key-bytes-reversed',
  'The ciphertext decrypts once its bytes are reversed: it is little-endian.',
);

function earlier(used: string, sent: string): Diagnosis {
  const message = `The key was wrapped with an earlier public key (${used}), not with the one of this request (${sent}).`;
  return diagnose('earlier-public-key', message);
}

function unopened(
  bytes: Uint8Array,
  { privateKey, otherPrivateKeys = [] }: WrappedKeyContext,
  block: Uint8Array | undefined,
): Diagnosis {
  const { modulusBytes } = privateKey;
  if (bytes.length !== modulusBytes) return likely(otherLength(bytes, modulusBytes));
  const seen = block
    ? `the decrypted block has no padding structure${showStart(block)}`
    : 'as a number it is larger than the modulus, which a ciphertext of this key never is';
  const others = otherPrivateKeys.length;
  const tried = others ? `, and ${counted(others, 'earlier key')} can't decrypt it either` : '';
  const message = `It has the right length but was encrypted with a public key other than that of this request (${privateKey.publicKey.fingerprint}): ${seen}${tried}.`;
  return likely(diagnose('other-public-key', message));
}

/** The first bytes of a block, unless they might be characters of a key. */
function showStart(block: Uint8Array): string {
  const start = [...block.subarray(0, 4)];
  if (start.every((octet) => octet >= 0x20 && octet < 0x7f)) return '';
  // RFC 8017 7.2.2 step 3: at least eight other bytes come before the zero.
  if (start[0] === 0 && start[1] === 2) return ' after 00 02';
  const shown = start.map((octet) => octet.toString(16).padStart(2, '0'));
  return ` (it begins with ${shown.join(' ')} … where 00 02 belongs)`;
}

function isText(message: Uint8Array): boolean {
  const text = decodeUtf8(message);
  return text !== undefined && text !== '' && !/[^ -~\u00a0-\uffff\r\n\0]/.test(text);
}

/** The ciphertext in the length of the modulus; undefined where no usual mistake explains its own. */
function resize(
  bytes: Uint8Array,
  modulusBytes: number,
): { ciphertext: Uint8Array; fault?: Diagnosis } | undefined {
  const surplus = bytes.length - modulusBytes;
  const fault = (seen: string, fix: string) =>
    wrongLength(bytes, modulusBytes, seen, fix, wrapCalls);
  if (surplus === 0) return { ciphertext: bytes };
  if (surplus < 0) {
    if (bytes.length < shortestCiphertext) return undefined;
    const seen = `${zeroBytes(-surplus)} dropped from the front, as numbers are written without`;
    const fix = `Fill the ciphertext up with zero bytes on the left to the ${modulusBytes} bytes of the modulus, or encrypt with the platform's own RSA: big numbers lose leading zeros, one ciphertext in 256.`;
    const ciphertext = Buffer.concat([new Uint8Array(-surplus), bytes]);
    return { ciphertext, fault: fault(seen, fix) };
  }
  if (bytes.subarray(0, surplus).every((octet) => octet === 0)) {
    const seen = `${zeroBytes(surplus)} in front, such as BigInteger's sign byte`;
    const fix = `Send the last ${modulusBytes} bytes alone, or encrypt with the platform's own RSA: what is before them is the sign of a big number.`;
    return { ciphertext: bytes.subarray(surplus), fault: fault(seen, fix) };
  }
  if (bytes.length % modulusBytes !== 0) return undefined;
  const seen = `${bytes.length / modulusBytes} ciphertexts, of which the first was decrypted`;
  const fix = 'Encrypt the 32 characters of the key in one call: they fit one RSA block.';
  return { ciphertext: bytes.subarray(0, modulusBytes), fault: fault(seen, fix) };
}

/** Without a fix that of the catalogue. */
function wrongLength(
  { length }: Uint8Array,
  modulusBytes: number,
  seen: string,
  fix?: string,
  calls: Calls = {},
): Diagnosis {
  const message = `The ciphertext has ${length} bytes; the public_key in the request gives ${modulusBytes}: ${seen}.`;
  const found = diagnose('wrong-length', message, { bytes: length, expected_bytes: modulusBytes });
  return fix === undefined ? found : { ...found, hint: fix, calls };
}

/** A length that no usual mistake explains. */
function otherLength(bytes: Uint8Array, modulusBytes: number): Diagnosis {
  const { length } = bytes;
  const wrong = (seen: string, fix?: string, calls?: Calls) =>
    wrongLength(bytes, modulusBytes, seen, fix, calls);
  if (usualModulusBytes.includes(length)) {
    const seen = `${length} is what a key of ${length * 8} bits gives, so another key was used`;
    const fix = 'Encrypt with the public_key of the request, of whatever size it is.';
    return wrong(seen, fix, publicKeyCalls);
  }
  const whole =
    'Send the whole ciphertext: check for a column, a log or a buffer that truncates it, and for bytes that were taken for text.';
  if (length < shortestCiphertext) return wrong('too few for an RSA ciphertext', whole);
  if (length > modulusBytes) return wrong('it contains something else', whole);
  return wrong('it was truncated, or encrypted with another key');
}

/** What an `enc_partner_key` is without its layers: a ciphertext, a plain key, or neither. */
interface Content {
  readonly bytes?: Uint8Array | undefined;
  readonly plainKey?: string;
  readonly diagnosis?: Diagnosis;
}

interface WrappedText extends Omit<Content, 'diagnosis'> {
  /** One for each layer that doesn't belong, outermost first. */
  readonly diagnoses: Diagnosis[];
  readonly notes: string[];
}

/** Any ciphertext of a sane key in any notation is shorter. */
const longestText = 64 * 1024;

/** RFC 8017 7.2.1: the shortest ciphertext that can contain 32 characters has 43 octets. */
const shortestCiphertext = 43;

/** Takes layers off until as many bytes as a modulus has (`sizes`) are left, or nothing comes off. */
function readWrappedText(text: string, sizes: readonly number[]): WrappedText {
  const trimmed = text.trim();
  const unreadable = text.length > longestText ? tooLong(text) : lostValue(trimmed);
  if (unreadable !== undefined) return { diagnoses: [unreadable], notes: [] };
  const small = smallCiphertext(trimmed, sizes);
  if (small !== undefined) return { bytes: small, diagnoses: [], notes: [] };
  const isWhole = trimmed === text || keepsItsEnds(text, sizes);
  const hasMark = !isWhole && /^\ufeff|\ufeff$/.test(text);
  const diagnoses = hasMark ? [byteOrderMark] : [];
  const notes = isWhole || hasMark ? [] : ['enc_partner_key has white space around it'];
  const found = ({ diagnosis, ...content }: Content) => ({
    ...content,
    diagnoses: [...diagnoses, diagnosis ?? []].flat(),
    notes,
  });
  const isExpected = ({ length }: Uint8Array) => isUsualSize(length, sizes);
  // words have spaces too, but no line breaks and no such length
  const isProse = (words: string, joined: Uint8Array) =>
    !/[\r\n]/.test(words) && !isExpected(joined);
  let inner = '';
  let bytes: Uint8Array | undefined;
  let isBase64 = false;
  for (const layer of peel(isWhole ? text : trimmed, {
    fields: ['enc_partner_key'],
    isExpected,
    isProse,
  })) {
    const { content } = layer;
    if (bytes !== undefined && layer.layer !== 'text') {
      // Bytes of another length than a modulus were a text again.
      if (bytes.length < shortestCiphertext) break;
      if (isBase64 && layer.layer !== 'hex') diagnoses.push(twice);
      bytes = undefined;
    }
    if (layer.layer === 'base64') {
      if (layer.hasInnerPadding) break;
      notes.push(...paddingNotes(layer));
    }
    diagnoses.push(...judgeLayer(layer, inner, diagnoses));
    if (typeof content === 'string') {
      inner = content;
      if (isPlainKey(content)) {
        return found({ plainKey: content, diagnosis: plainKey(content, isBase64) });
      }
      if (layer.layer === 'text' && isNoText(content)) break;
    }
    const mangled = readMangled(content, sizes);
    if (mangled !== undefined) return found(mangled);
    if (typeof content === 'string') continue;
    bytes = content;
    isBase64 = layer.layer === 'base64';
    if (sizes.includes(content.length)) break;
  }
  if (bytes?.length === perUserKeyLength && isNoText(decodeUtf8(bytes) ?? '\0')) {
    return found({ diagnosis: rawKey(isBase64) });
  }
  if (bytes !== undefined) return found({ bytes });
  return found(salvage(inner, sizes) ?? { diagnosis: notBase64(inner) });
}

const byteOrderMark = diagnosis(
  'not-base64',
  'enc_partner_key has a byte order mark (U+FEFF) at its end or beginning.',
  'Leave the mark out: read the file that the value comes from as UTF-8 without it.',
);

/** What a language writes in place of a value that is not set, or of bytes that are made a text. */
function lostValue(text: string): Diagnosis | undefined {
  if (text === '') return diagnosis('wrong-length', 'enc_partner_key is empty.', whereItIsLost);
  if (/^(?:null|undefined|none|nil)$/i.test(text)) {
    const message = `enc_partner_key is the text "${text}": a variable that is not set.`;
    return diagnosis('not-base64', message, whereItIsLost);
  }
  if (!/^\[(?:object \w{1,20}|B@[0-9a-f]{1,8})\]?$/.test(text)) return undefined;
  return diagnose(
    'not-base64',
    `enc_partner_key is "${text}": an object or an array of bytes that was turned into text, not its Base64.`,
  );
}

const whereItIsLost =
  'Find where the value gets lost: put the Base64 of the ciphertext into the response.';

/** A ciphertext that is a small number, such as 0, in Base64 whose letters are hexadecimal digits too. */
function smallCiphertext(text: string, sizes: readonly number[]): Uint8Array | undefined {
  const bytes = /^A{64}[A-Fa-f0-9]*={0,2}$/.test(text) ? decodeBase64Strict(text) : undefined;
  return bytes && sizes.includes(bytes.length) ? bytes : undefined;
}

/** White space around is trimmed, but not where it is bytes of the ciphertext or a lost `+`. */
function keepsItsEnds(text: string, sizes: readonly number[]): boolean {
  if (isNoText(text)) return sizes.includes(countCharacters(text));
  const spacesToPlus = text.replace(/[\r\n\t]+/g, '').replaceAll(' ', '+');
  return isUsualSize(sizeOf(spacesToPlus), sizes) && !isUsualSize(sizeOf(text.trim()), sizes);
}

const twice = diagnose('double-base64', 'enc_partner_key is Base64 of text that is itself Base64.');

function rawKey(isBase64: boolean): Diagnosis {
  const message = `enc_partner_key is only ${isBase64 ? 'Base64' : 'hexadecimal'} of 32 bytes: a key, not an RSA ciphertext.`;
  return diagnose(isBase64 ? 'base64-of-plain-key' : 'plain-key', message);
}

function plainKey(text: string, isBase64: boolean): Diagnosis {
  const count = `enc_partner_key is ${countCharacters(text)} readable characters`;
  return isBase64
    ? diagnose(
        'base64-of-plain-key',
        `Decoded from Base64, ${count}: the plain key, not encrypted.`,
      )
    : diagnose('plain-key', `${count}, far too few for an RSA ciphertext: the plain key itself.`);
}

/** Whether a text is 32 characters, as no ciphertext is, or a UUID: a key that was not encrypted. */
function isPlainKey(text: string): boolean {
  return !text.includes('\ufffd') && (looksLikePerUserKey(text) || isUuid(text));
}

function notBase64(text: string): Diagnosis {
  const lost = lostValue(text);
  if (lost !== undefined) return lost;
  const at = text.search(/[^A-Za-z0-9+/=\s]/);
  // a short text may be a key with a fault of its own: none of its characters is shown
  const seen =
    text.length < shortestCiphertext || at < 0
      ? `Its ${countCharacters(text)} characters can't be decoded`
      : `Character ${at + 1} is ${codePointAt(text, at)}, which Base64 does not have`;
  return diagnose('not-base64', `enc_partner_key is not Base64. ${seen}.`);
}

function tooLong(text: string): Diagnosis {
  const isBase64 = /^[A-Za-z0-9+/=\s]*$/.test(text);
  const what = `enc_partner_key has ${text.length} characters, far more than any RSA ciphertext.`;
  return diagnose(isBase64 ? 'wrong-length' : 'not-base64', what);
}

const quotes = {
  json: 'was serialised twice: the field contains its quotation marks',
  'python-bytes': "is Python's notation for bytes, b'…': decode() is missing",
  marks: 'has quotation marks inside the field',
  unbalanced: 'begins with a quotation mark',
} as const;

/** What is wrong with a layer of a text; nothing with Base64 as it should be (2.2, RFC 4648 3.1 to 3.5). */
function judgeLayer(
  layer: Layer,
  text: string,
  earlier: readonly Diagnosis[],
): readonly Diagnosis[] {
  const wrong = (code: DiagnosisCode, seen: string) => [diagnose(code, `enc_partner_key ${seen}.`)];
  switch (layer.layer) {
    case 'list':
      return wrong(
        'not-base64',
        `is a list of ${layer.content.length} numbers, one per byte, not Base64`,
      );
    case 'field':
      return wrong('json-quoted', 'contains the whole JSON object as text');
    case 'quotes':
      return wrong('json-quoted', quotes[layer.style]);
    case 'escapes':
      return layer.hasLineEnds
        ? wrong('line-breaks', 'has line breaks inside, written as \\n')
        : wrong('json-quoted', 'contains JSON escapes (such as \\/): it was serialised twice');
    case 'percent':
      return [percentEncoded];
    case 'decimal':
      return wrong(
        'not-base64',
        `is a decimal number of ${text.length} digits, not Base64 of the bytes`,
      );
    case 'hex': {
      const lost = layer.digits % 2 === 0 ? '' : ', and a leading zero is missing';
      const what = `The ciphertext is written as ${layer.digits} hexadecimal digits, not as Base64${lost}.`;
      return [diagnose('hex', what)];
    }
    case 'base64': {
      const isNamed = earlier.some(({ code }) => code === 'line-breaks');
      const spaces = layer.whiteSpace && !isNamed ? [spaceDiagnosis(text, layer.whiteSpace)] : [];
      return layer.isUrl ? [...spaces, base64Url(text)] : spaces;
    }
    default:
      return [];
  }
}

const percentEncoded = diagnosis(
  'not-base64',
  'enc_partner_key is percent-encoded, as for a URL (%2B, %2F, %3D): JSON needs no such encoding.',
  'Put the Base64 into the JSON as it is, without URL encoding.',
);

function base64Url(text: string): Diagnosis {
  const count = countMatches(text, /[-_]/g);
  const message = `enc_partner_key is Base64url: it has "-" or "_" ${count === 1 ? 'once' : `${count} times`} where Base64 has "+" or "/".`;
  return diagnose('base64url', message);
}

/** RSA of 1024, 2048, 3072 and 4096 bits. */
export const usualModulusBytes: readonly number[] = [128, 256, 384, 512];

function spaceDiagnosis(text: string, whiteSpace: 'plus' | 'left-out'): Diagnosis {
  if (whiteSpace === 'plus') {
    const spaces = counted(countMatches(text, / /g), 'space');
    return diagnose('space-for-plus', `enc_partner_key has ${spaces} where "+" belongs.`);
  }
  const breaks = countMatches(text, /\r\n|\r|\n/g);
  const what = breaks === 0 ? 'white space' : counted(breaks, 'line break');
  const message = `enc_partner_key has ${what} inside, the first after ${text.search(/\s/)} characters.`;
  return diagnose('line-breaks', message);
}

/** Whether a ciphertext of one of the keys, or of a key in usual size, has this many bytes. */
function isUsualSize(bytes: number, sizes: readonly number[]): boolean {
  return sizes.includes(bytes) || usualModulusBytes.includes(bytes);
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function sizeOf(digits: string): number {
  return Math.floor((digits.replace(/={1,8}$/, '').length * 3) / 4);
}

function paddingNotes({ padding, isUrl }: Base64Layer): readonly string[] {
  const { present, wanted } = padding;
  // Base64url is written without padding (RFC 4648 5), which its own diagnosis covers
  if (present === wanted || (isUrl && present === 0)) return [];
  if (wanted === undefined) {
    return ["enc_partner_key has a length that Base64 can't have: characters are missing"];
  }
  const [has, needs] = [present, wanted].map((count) => (count === 0 ? 'no' : String(count)));
  const required = needs === 'no' ? 'none is' : `${needs} ${wanted === 1 ? 'is' : 'are'}`;
  return [`enc_partner_key has ${has} "=" padding; ${required} required`];
}

/** Base64 with other characters among its digits, of which there are as many as a ciphertext needs. */
function salvage(text: string, sizes: readonly number[]): Content | undefined {
  const digits = text.replace(/[^A-Za-z0-9+/]+/g, '');
  const at = text.search(/[^A-Za-z0-9+/=\s]/);
  if (at < 0 || !sizes.includes(sizeOf(digits))) return undefined;
  const message = `enc_partner_key is not Base64: character ${at + 1} is ${codePointAt(text, at)}. Without such characters it has the right length.`;
  return { bytes: Buffer.from(digits, 'base64'), diagnosis: diagnose('not-base64', message) };
}

/** "U+FFFD". */
function codePointAt(text: string, at: number): string {
  return `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** One of 10^15 ciphertexts has U+FFFD three times by chance. */
const convincingReplacements = 3;

/** The ciphertext's own bytes, taken for characters instead of, or before they were, encoded as Base64. */
function readMangled(content: string | Uint8Array, sizes: readonly number[]): Content | undefined {
  const isText = typeof content === 'string';
  const text = isText ? content : decodeUtf8(content);
  const questionMarks = isText ? 0 : questionMarksOf(content);
  if (questionMarks > content.length / 4) {
    return lost(
      `The ciphertext was converted to ASCII text: ${questionMarks} of its ${content.length} bytes are "?", and none is above 7F.`,
    );
  }
  if (text === undefined || !/[^\0-\x7f]/.test(text)) return undefined;
  const name = isText ? 'enc_partner_key' : 'Decoded, enc_partner_key';
  const replaced = countMatches(text, /\ufffd/g);
  if (replaced >= convincingReplacements) {
    return lost(
      `${name} is the ciphertext's bytes as UTF-8 text: ${replaced} of its characters are U+FFFD (EF BF BD), which replaces bytes that were not UTF-8.`,
    );
  }
  const bytes = toSingleBytes(text);
  if (bytes === undefined || !sizes.includes(bytes.length)) return undefined;
  const message = `${name} is the ciphertext's ${bytes.length} bytes as characters (Latin-1).`;
  return { bytes, diagnosis: diagnose('utf8-mangled', message) };
}

/** Of bytes that went through ASCII: none of them is above 7F. */
function questionMarksOf(bytes: Uint8Array): number {
  const isAscii = bytes.length >= shortestCiphertext && bytes.every((octet) => octet < 0x80);
  return isAscii ? bytes.filter((octet) => octet === 0x3f).length : 0;
}

function lost(message: string): Content {
  return { diagnosis: diagnose('utf8-mangled', `${message} The original bytes are lost.`) };
}

/** Whether a text has characters that no encoding of bytes uses. */
function isNoText(text: string): boolean {
  return /[^ -~\t\r\n]/.test(text);
}

function toSingleBytes(text: string): Uint8Array | undefined {
  const characters = [...text];
  const isWide = (character: string) => character > '\xff';
  if (characters.some((one) => isWide(one) && !windows1252.includes(one))) return undefined;
  return Uint8Array.from(characters, (one) =>
    isWide(one) ? 0x80 + windows1252.indexOf(one) : one.charCodeAt(0),
  );
}

/** The characters that Windows-1252 has at 80 to 9F, where Latin-1 has controls. */
const windows1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Equal bytes in a row that no random block has: eight of them come once in 2^64. */
const convincing = 8;
const shortestKey = 16;

/**
 * Takes apart the whole block that raw RSA gave: EME-PKCS1-v1_5, OAEP by any hashes, block type 1,
 * a padding made by hand, or none; undefined where it has no structure, as with another key.
 */
export function openBlock(block: Uint8Array): OpenedBlock | undefined {
  const message = decodeEmePkcs1V15(block);
  if (message && message.length >= shortestKey && decodeUtf8(message)) return { message };
  const framed = message ? undefined : (openType1(block) ?? openUnpadded(block));
  if (framed !== undefined) return framed;
  // The random first byte of OAEP is 02 once in 256: PKCS #1 v1.5 seems to fit then, too.
  const oaep = identifyOaep(block);
  if (oaep !== undefined) return { message: oaep.message, diagnosis: diagnoseOaep(oaep) };
  return message ? { message } : openHandMade(block);
}

interface OpenedBlock {
  readonly message: Uint8Array;
  /** What is wrong with the padding; absent for EME-PKCS1-v1_5. */
  readonly diagnosis?: Diagnosis;
}

function diagnoseOaep({ hash, mgf1Hash, hasLabel }: OaepReading): Diagnosis {
  const isUsual = !hasLabel && (mgf1Hash === hash || (hash === 'sha256' && mgf1Hash === 'sha1'));
  const code =
    isUsual && (hash === 'sha1' || hash === 'sha256') ? (`oaep-${hash}` as const) : 'oaep-other';
  const mask = `MGF1 with ${hashName(mgf1Hash)}`;
  const javas = hash !== 'sha1' && mgf1Hash === 'sha1' ? ", Java's default" : '';
  const label = hasLabel
    ? 'the block has the structure of OAEP, with a label that is not empty'
    : `the block contains the ${hashName(hash)} of the empty label`;
  return diagnose(
    code,
    `The key was wrapped with OAEP (${hashName(hash)}${hasLabel ? ' or another hash of its length' : ''}, ${mask}${javas}) instead of PKCS #1 v1.5: unmasked with these, ${label}.`,
  );
}

function hashName(name: string): string {
  return name.startsWith('sha3-') ? name.toUpperCase() : name.toUpperCase().replace(/^SHA/, 'SHA-');
}

/** Block type 1 of RFC 2313 8.1, which is EMSA-PKCS1-v1_5's frame: 00 01 FF … FF 00 M. */
function openType1(block: Uint8Array): OpenedBlock | undefined {
  if (block[0] !== 0 || block[1] !== 1) return undefined;
  const separator = block.findIndex((octet, index) => index >= 2 && octet !== 0xff);
  if (separator - 2 < convincing || block[separator] !== 0) return undefined;
  const diagnosis = diagnose(
    'pkcs1-type-1',
    `The block begins with 00 01 and ${separator - 2} bytes of FF: block type 1, the padding of signatures, instead of 00 02 and random bytes.`,
  );
  return { message: block.subarray(separator + 1), diagnosis };
}

/** A message that fills the block with zeros, spaces or itself. */
function openUnpadded(block: Uint8Array): OpenedBlock | undefined {
  const start = block.findIndex((octet) => octet !== 0);
  if (start < 0) return unpadded(new Uint8Array(), `all ${block.length} bytes are zero`);
  if (start >= convincing) {
    return unpadded(block.subarray(start), `${start} zero bytes precede the message`);
  }
  const end = block.findLastIndex((octet) => octet !== 0) + 1;
  const zeros = block.length - end;
  if (zeros >= convincing) {
    return unpadded(block.subarray(0, end), `${zeros} zero bytes follow the message`);
  }
  if (block.every((octet) => octet >= 0x20 && octet < 0x7f)) {
    const text = decodeUtf8(block)?.trim() ?? '';
    return unpadded(Buffer.from(text), 'the whole block is text, padded with characters');
  }
  const count = block.at(-1) ?? 0;
  const isCounted = count >= convincing && count < block.length;
  if (!isCounted || block.subarray(-count).some((octet) => octet !== count)) return undefined;
  const seen = `${count} bytes of value ${count} follow the message, which is the padding of block ciphers`;
  return unpadded(block.subarray(0, -count), seen);
}

function unpadded(message: Uint8Array, seen: string): OpenedBlock {
  const text = `It was encrypted without PKCS #1 v1.5 padding: ${seen}.`;
  return { message, diagnosis: diagnose('no-padding', text) };
}

/** Padding made by hand that a step of RFC 8017 7.2.2 refuses; taken only where text ends it. */
function openHandMade(block: Uint8Array): OpenedBlock | undefined {
  const message = trailingText(block);
  const seen = faultOfPadding(block);
  if (message === undefined || seen === undefined) return undefined;
  const text = `The padding resembles PKCS #1 v1.5 but was written by hand: ${seen}.`;
  return { message, diagnosis: diagnose('no-padding', text) };
}

function faultOfPadding(block: Uint8Array): string | undefined {
  if (block[0] === 2) return 'the first byte is 02, not 00: the leading zero byte is missing';
  if (block[0] !== 0 || block[1] !== 2) return undefined;
  const separator = block.indexOf(0, 2);
  return separator < 0
    ? 'no zero byte ends the random bytes'
    : `only ${separator - 2} random bytes precede the first zero byte, and at least 8 are required`;
}

/** The printable characters that end the block, where no random block has as many. */
function trailingText(block: Uint8Array): Uint8Array | undefined {
  const start = block.findLastIndex((octet) => octet <= 0x20 || octet >= 0x7f) + 1;
  return block.length - start >= shortestKey ? block.subarray(start) : undefined;
}
