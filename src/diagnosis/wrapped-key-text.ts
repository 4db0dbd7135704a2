import { decodeBase64Strict, decodeUtf8 } from '../bytes.ts';
import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { hasControls, isUuid } from '../text.ts';
import { diagnose } from './catalogue.ts';
import {
  codePointAt,
  endsWithLostPlus,
  isNoText,
  type Layer,
  peelBase64Layer,
  peelNotation,
  readMangledBytes,
  readMangledText,
} from './wrapped-key-layers.ts';

interface Seen {
  /** One for each layer that doesn't belong, outermost first. */
  readonly diagnoses: readonly Diagnosis[];
  readonly notes: readonly string[];
}

/** What an `enc_partner_key` is without its layers: a ciphertext, a plain key, or neither. */
interface WrappedText extends Seen {
  readonly bytes?: Uint8Array;
  readonly plainKey?: string;
}

/** Any ciphertext of a sane key in any notation is shorter. */
const longestText = 64 * 1024;
const mostLayers = 6;

/** Takes layers off until as many bytes as a modulus has (`sizes`) are left, or nothing comes off. */
export function readWrappedText(text: string, sizes: readonly number[]): WrappedText {
  if (text.length > longestText) return { diagnoses: [tooLong(text)], notes: [] };
  const trimmed = text.trim();
  const lost = lostValue(trimmed);
  if (lost !== undefined) return { diagnoses: [lost], notes: [] };
  const bytes = smallCiphertext(trimmed, sizes);
  if (bytes !== undefined) return { bytes, diagnoses: [], notes: [] };
  if (trimmed === text || keepsItsEnds(text, sizes)) {
    return peelText(text, sizes, { diagnoses: [], notes: [] }, mostLayers, false);
  }
  const seen = /^\ufeff|\ufeff$/.test(text)
    ? { diagnoses: [diagnose('not-base64', byteOrderMark)], notes: [] }
    : { diagnoses: [], notes: ['enc_partner_key has white space around it'] };
  return peelText(trimmed, sizes, seen, mostLayers, false);
}

const valueLost =
  'Find where the value gets lost: put the Base64 of the ciphertext into the response.';

/** What a language writes in place of a value that is not set, or of bytes that are made a text. */
function lostValue(text: string): Diagnosis | undefined {
  if (text === '') {
    return { ...diagnose('wrong-length', 'enc_partner_key is empty.'), hint: valueLost, calls: {} };
  }
  if (/^(?:null|undefined|none|nil)$/i.test(text)) {
    const message = `enc_partner_key is the text "${text}": a variable that is not set.`;
    return { ...diagnose('not-base64', message), hint: valueLost, calls: {} };
  }
  if (!/^\[(?:object \w{1,20}|B@[0-9a-f]{1,8})\]?$/.test(text)) return undefined;
  return diagnose(
    'not-base64',
    `enc_partner_key is "${text}": an object or an array of bytes that was turned into text, not its Base64.`,
  );
}

/** A ciphertext that is a small number, such as 0, in Base64 whose letters are hexadecimal digits too. */
function smallCiphertext(text: string, sizes: readonly number[]): Uint8Array | undefined {
  if (!/^A{64}[A-Fa-f0-9]*={0,2}$/.test(text)) return undefined;
  const bytes = decodeBase64Strict(text);
  return bytes !== undefined && sizes.includes(bytes.length) ? bytes : undefined;
}

const byteOrderMark = 'enc_partner_key has a byte order mark (U+FEFF) at its end or beginning.';

/** White space around is trimmed, but not where it is bytes of the ciphertext or a lost `+`. */
function keepsItsEnds(text: string, sizes: readonly number[]): boolean {
  const isBinary = isNoText(text) && sizes.includes(countCharacters(text));
  return isBinary || endsWithLostPlus(text, sizes);
}

function peelText(
  text: string,
  sizes: readonly number[],
  seen: Seen,
  layersLeft: number,
  fromBase64: boolean,
): WrappedText {
  if (isPlainKey(text)) return plainKey(text, seen, fromBase64);
  const layer = layersLeft > 0 ? peelLayer(text, sizes) : undefined;
  if (layer === undefined) return { ...seen, diagnoses: [...seen.diagnoses, notBase64(text)] };
  const next = merge(seen, layer);
  if (layer.lost) return next;
  if (typeof layer.content === 'string') {
    return peelText(layer.content.trim(), sizes, next, layersLeft - 1, fromBase64);
  }
  return peelBytes(layer.content, sizes, next, layersLeft - 1, layer.isBase64);
}

function peelLayer(text: string, sizes: readonly number[]): Layer | undefined {
  return readMangledText(text, sizes) ?? peelNotation(text) ?? peelBase64Layer(text, sizes);
}

/** Bytes of another length than a modulus may be a text again, or have gone through one. */
function peelBytes(
  bytes: Uint8Array,
  sizes: readonly number[],
  seen: Seen,
  layersLeft: number,
  isBase64 = false,
): WrappedText {
  const mangled = readMangledBytes(bytes, sizes);
  if (mangled !== undefined) {
    const next = merge(seen, mangled);
    return mangled.lost ? next : { ...next, bytes: mangled.content as Uint8Array };
  }
  const inner = sizes.includes(bytes.length) ? undefined : decodeUtf8(bytes)?.trim();
  if (inner !== undefined && isPlainKey(inner)) return plainKey(inner, seen, isBase64);
  if (inner === undefined || isNoText(inner)) return rawBytes(bytes, seen, isBase64);
  const layer = layersLeft > 0 ? peelLayer(inner, sizes) : undefined;
  if (layer === undefined || bytes.length < shortestCiphertext) return { ...seen, bytes };
  const isEncodedTwice = isBase64 && !layer.isHex;
  const next = isEncodedTwice ? merge(seen, { diagnoses: [twice] }) : seen;
  return peelText(inner, sizes, next, layersLeft - 1, isBase64);
}

const twice = diagnose('double-base64', 'enc_partner_key is Base64 of text that is itself Base64.');

function rawBytes(bytes: Uint8Array, seen: Seen, isBase64: boolean): WrappedText {
  if (bytes.length !== perUserKeyLength) return { ...seen, bytes };
  const notation = isBase64 ? 'Base64' : 'hexadecimal';
  const message = `enc_partner_key is only ${notation} of 32 bytes: a key, not an RSA ciphertext.`;
  const diagnosis = diagnose(isBase64 ? 'base64-of-plain-key' : 'plain-key', message);
  return { ...seen, diagnoses: [...seen.diagnoses, diagnosis] };
}

function plainKey(text: string, seen: Seen, fromBase64: boolean): WrappedText {
  const count = countCharacters(text);
  const diagnosis = fromBase64
    ? diagnose(
        'base64-of-plain-key',
        `Decoded from Base64, enc_partner_key is ${count} readable characters: the plain key, not encrypted.`,
      )
    : diagnose(
        'plain-key',
        `enc_partner_key is ${count} readable characters, far too few for an RSA ciphertext: the plain key itself.`,
      );
  return { ...seen, plainKey: text, diagnoses: [...seen.diagnoses, diagnosis] };
}

function merge(seen: Seen, layer: Pick<Layer, 'diagnoses' | 'notes'>): Seen {
  return {
    diagnoses: [...seen.diagnoses, ...layer.diagnoses],
    notes: [...seen.notes, ...(layer.notes ?? [])],
  };
}

/** RFC 8017 7.2.1: the shortest ciphertext that can contain 32 characters has 43 octets. */
export const shortestCiphertext = 43;

/** Whether a text is 32 characters, as no ciphertext is, or a UUID: a key that was not encrypted. */
function isPlainKey(text: string): boolean {
  if (text.length > 2 * perUserKeyLength || hasControls(text)) return false;
  if (text.includes('\ufffd')) return false;
  return countCharacters(text) === perUserKeyLength || isUuid(text);
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
