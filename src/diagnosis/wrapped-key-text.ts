import { decodeUtf8 } from '../bytes.ts';
import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { peelBase64Layer } from './wrapped-key-base64.ts';
import { isNoText, readMangledBytes, readMangledText } from './wrapped-key-mangled.ts';
import { type Layer, peelNotation } from './wrapped-key-notations.ts';
import { diagnoseWrap } from './wrapped-key-words.ts';

/** What the text of an `enc_partner_key` comes to when its layers are taken off. */
export interface WrappedText {
  /** The ciphertext, where bytes are left. */
  readonly bytes?: Uint8Array;
  /** A per-user key that nobody encrypted. */
  readonly plainKey?: string;
  /** One for each layer that doesn't belong, outermost first. */
  readonly diagnoses: readonly Diagnosis[];
  readonly notes: readonly string[];
}

/** Any ciphertext of a sane key in any notation is shorter. */
const longestText = 64 * 1024;
const mostLayers = 6;

/** RFC 8017 7.2.1: the shortest ciphertext that can hold 32 characters has 43 octets. */
const shortestCiphertext = 43;

/**
 * Takes the layers off a text until bytes are left that are as many as a modulus has (`sizes`), or
 * nothing more comes off.
 */
export function readWrappedText(text: string, sizes: readonly number[]): WrappedText {
  if (text.length > longestText) return { diagnoses: [tooLong(text)], notes: [] };
  // white space around is trimmed, but not where it may be bytes of a ciphertext
  const isBinary = isNoText(text) && sizes.includes(countCharacters(text));
  const trimmed = isBinary ? text : text.replace(/^\ufeff/, '').trim();
  const notes =
    trimmed === text ? [] : [`white space or a byte order mark stands around enc_partner_key`];
  return peelText(trimmed, sizes, { diagnoses: [], notes }, mostLayers, false);
}

interface Seen {
  readonly diagnoses: readonly Diagnosis[];
  readonly notes: readonly string[];
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

/** Bytes of no modulus' length may be a text again, or have gone through one. */
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
  const next = isEncodedTwice ? merge(seen, { diagnosis: twice }) : seen;
  return peelText(inner, sizes, next, layersLeft - 1, isBase64);
}

const twice = diagnoseWrap(
  'double-base64',
  'enc_partner_key is Base64 of a text, and that text is Base64 again.',
);

/** 32 bytes that are no ciphertext: nothing but a key has that length here. */
function rawBytes(bytes: Uint8Array, seen: Seen, isBase64: boolean): WrappedText {
  if (bytes.length !== perUserKeyLength) return { ...seen, bytes };
  const code = isBase64 ? 'base64-of-plain-key' : 'plain-key';
  const what = `enc_partner_key is only ${isBase64 ? 'Base64' : 'hexadecimal'} of 32 bytes: a key, and no RSA ciphertext.`;
  return { ...seen, diagnoses: [...seen.diagnoses, diagnoseWrap(code, what)] };
}

/** 32 characters, as no ciphertext is; or a UUID. */
function isPlainKey(text: string): boolean {
  if (text.length > 2 * perUserKeyLength || /\p{Cc}|\ufffd/u.test(text)) return false;
  return (
    countCharacters(text) === perUserKeyLength ||
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
  );
}

function plainKey(text: string, seen: Seen, fromBase64: boolean): WrappedText {
  const count = countCharacters(text);
  const diagnosis = fromBase64
    ? diagnoseWrap(
        'base64-of-plain-key',
        `Decoded from Base64, enc_partner_key is ${count} readable characters: the plain key, which nobody encrypted.`,
      )
    : diagnoseWrap(
        'plain-key',
        `enc_partner_key is ${count} readable characters, far too few for an RSA ciphertext: the plain key itself.`,
      );
  return { ...seen, plainKey: text, diagnoses: [...seen.diagnoses, diagnosis] };
}

function notBase64(text: string): Diagnosis {
  if (text === '') return diagnoseWrap('wrong-length', 'enc_partner_key is empty.');
  const at = text.search(/[^A-Za-z0-9+/=\s]/);
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  // a short text may be a key with a fault of its own: none of its characters is shown
  const seen =
    text.length < shortestCiphertext || at < 0
      ? `Its ${countCharacters(text)} characters can't be decoded`
      : `Character ${at + 1} is ${code}, which Base64 has not`;
  return diagnoseWrap('not-base64', `enc_partner_key is no Base64. ${seen}.`);
}

function tooLong(text: string): Diagnosis {
  const isBase64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text);
  const what = `enc_partner_key has ${text.length} characters, far more than any RSA ciphertext.`;
  return diagnoseWrap(isBase64 ? 'wrong-length' : 'not-base64', what);
}

function merge(seen: Seen, layer: Pick<Layer, 'diagnosis' | 'diagnoses' | 'notes'>): Seen {
  const own = layer.diagnoses ?? (layer.diagnosis ? [layer.diagnosis] : []);
  return {
    diagnoses: [...seen.diagnoses, ...own],
    notes: [...seen.notes, ...(layer.notes ?? [])],
  };
}
