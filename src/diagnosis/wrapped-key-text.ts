import { decodeUtf8 } from '../bytes.ts';
import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { endsWithLostPlus, peelBase64Layer } from './wrapped-key-base64.ts';
import { isNoText, readMangledBytes, readMangledText } from './wrapped-key-mangled.ts';
import { type Layer, peelNotation } from './wrapped-key-notations.ts';
import {
  isPlainKey,
  notBase64,
  rawKey,
  readableKey,
  shortestCiphertext,
  tooLong,
} from './wrapped-key-verdicts.ts';
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

/**
 * Takes the layers off a text until bytes are left that are as many as a modulus has (`sizes`), or
 * nothing more comes off.
 */
export function readWrappedText(text: string, sizes: readonly number[]): WrappedText {
  if (text.length > longestText) return { diagnoses: [tooLong(text)], notes: [] };
  if (keepsItsEnds(text, sizes)) return peelText(text, sizes, nothingSeen, mostLayers, false);
  const trimmed = text.trim();
  if (/^\ufeff|\ufeff$/.test(text)) {
    const diagnoses = [diagnoseWrap('not-base64', byteOrderMark)];
    return peelText(trimmed, sizes, { diagnoses, notes: [] }, mostLayers, false);
  }
  const notes = trimmed === text ? [] : ['white space stands around enc_partner_key'];
  return peelText(trimmed, sizes, { diagnoses: [], notes }, mostLayers, false);
}

const byteOrderMark = 'enc_partner_key has a byte order mark (U+FEFF) at its end or beginning.';
const nothingSeen: Seen = { diagnoses: [], notes: [] };

/** White space around is trimmed, but not where it is bytes of the ciphertext or a lost `+`. */
function keepsItsEnds(text: string, sizes: readonly number[]): boolean {
  const isBinary = isNoText(text) && sizes.includes(countCharacters(text));
  return isBinary || endsWithLostPlus(text, sizes);
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
  return { ...seen, diagnoses: [...seen.diagnoses, rawKey(isBase64)] };
}

function plainKey(text: string, seen: Seen, fromBase64: boolean): WrappedText {
  const diagnosis = readableKey(countCharacters(text), fromBase64);
  return { ...seen, plainKey: text, diagnoses: [...seen.diagnoses, diagnosis] };
}

function merge(seen: Seen, layer: Pick<Layer, 'diagnosis' | 'diagnoses' | 'notes'>): Seen {
  const own = layer.diagnoses ?? (layer.diagnosis ? [layer.diagnosis] : []);
  return {
    diagnoses: [...seen.diagnoses, ...own],
    notes: [...seen.notes, ...(layer.notes ?? [])],
  };
}
