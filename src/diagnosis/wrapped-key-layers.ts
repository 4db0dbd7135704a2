import { decodeUtf8 } from '../bytes.ts';
import {
  type Base64Layer,
  parseJson,
  peelBase64,
  peelEscapes,
  peelHex,
  peelPercent,
  peelQuotes,
} from '../crypto/text-layers.ts';
import type { Diagnosis } from '../errors.ts';
import { counted } from '../text.ts';
import { diagnose } from './catalogue.ts';

export interface Layer {
  readonly content: string | Uint8Array;
  /** What is wrong with the layer; empty for Base64 as it should be. */
  readonly diagnoses: readonly Diagnosis[];
  readonly notes?: readonly string[];
  readonly isBase64?: boolean;
  readonly isHex?: boolean;
  readonly lost?: boolean;
}

/** Takes off a layer that is not Base64: quotes, JSON, escapes, percent encoding, numbers, hexadecimal. */
export function peelNotation(text: string): Layer | undefined {
  return (
    readByteArray(text) ??
    readQuotes(text) ??
    readEscapes(text) ??
    readPercent(text) ??
    readDecimal(text) ??
    readHex(text)
  );
}

const quotes = {
  json: 'was serialised twice: the field contains its quotation marks',
  'python-bytes': "is Python's notation for bytes, b'…': decode() is missing",
  marks: 'has quotation marks inside the field',
  unbalanced: 'begins with a quotation mark',
} as const;

function readQuotes(text: string): Layer | undefined {
  const field = text.startsWith('{') ? encPartnerKeyOf(parseJson(text)) : undefined;
  if (field !== undefined) return quoted(field, 'contains the whole JSON object as text');
  const layer = peelQuotes(text);
  return layer && quoted(layer.content, quotes[layer.style]);
}

function quoted(content: string, what: string): Layer {
  return { content, diagnoses: [diagnose('json-quoted', `enc_partner_key ${what}.`)] };
}

function encPartnerKeyOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const result: unknown = Reflect.get(value, 'result');
  const holder = typeof result === 'object' && result !== null ? result : value;
  const field: unknown = Reflect.get(holder, 'enc_partner_key');
  return typeof field === 'string' ? field : undefined;
}

/** Escapes of a JSON writer; line ends among them are left out. */
function readEscapes(text: string): Layer | undefined {
  const layer = peelEscapes(text);
  if (layer === undefined) return undefined;
  const diagnosis = layer.hasLineEnds
    ? diagnose('line-breaks', 'enc_partner_key has line breaks inside, written as \\n.')
    : diagnose(
        'json-quoted',
        'enc_partner_key contains JSON escapes (such as \\/): it was serialised twice.',
      );
  return { content: layer.content.replace(/[\n\r\t]/g, ''), diagnoses: [diagnosis] };
}

function readPercent(text: string): Layer | undefined {
  const content = peelPercent(text);
  if (content === undefined) return undefined;
  const message =
    'enc_partner_key is percent-encoded, as for a URL (%2B, %2F, %3D): JSON needs no such encoding.';
  return { content, diagnoses: [diagnose('not-base64', message)] };
}

/** What BigInteger.toString() and its like print of RSA with 344 to 16384 bits. */
function readDecimal(text: string): Layer | undefined {
  if (!/^\d{90,5000}$/.test(text)) return undefined;
  const digits = BigInt(text).toString(16);
  const content = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  const message = `enc_partner_key is a decimal number of ${text.length} digits, not Base64 of the bytes.`;
  return { content, diagnoses: [diagnose('not-base64', message)] };
}

/** Fewer digits are a word or a number more often than bytes. */
const shortestHex = 20;

function readHex(text: string): Layer | undefined {
  const layer = peelHex(text);
  if (layer === undefined || layer.digits < shortestHex) return undefined;
  const lost = layer.digits % 2 === 0 ? '' : ', and a leading zero is missing';
  const message = `The ciphertext is written as ${layer.digits} hexadecimal digits, not as Base64${lost}.`;
  return { content: layer.content, isHex: true, diagnoses: [diagnose('hex', message)] };
}

/** `[12, -7, …]`, Node's `{"type":"Buffer","data":[…]}`, or numbers with commas. */
function readByteArray(text: string): Layer | undefined {
  const json = /^[[{]/.test(text) ? text : /^-?\d{1,3}, ?-?\d/.test(text) ? `[${text}]` : undefined;
  if (json === undefined) return undefined;
  const value = parseJson(json);
  const list: unknown =
    typeof value === 'object' && value !== null && 'data' in value ? value.data : value;
  if (!Array.isArray(list) || list.length < 32 || !list.every(isByte)) return undefined;
  const message = `enc_partner_key is a list of ${list.length} numbers, one per byte, not Base64.`;
  return { content: Uint8Array.from(list), diagnoses: [diagnose('not-base64', message)] };
}

function isByte(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= -128 && Number(value) <= 255;
}

/** RSA of 1024, 2048, 3072 and 4096 bits. */
export const usualModulusBytes: readonly number[] = [128, 256, 384, 512];

/**
 * Takes Base64 off however it was damaged, as long as its digits are there. White space around and
 * missing or superfluous `=` are notes, everything else a diagnosis (2.2, RFC 4648 3.1 to 3.5).
 */
export function peelBase64Layer(text: string, sizes: readonly number[]): Layer | undefined {
  const fits = ({ length }: Uint8Array) => isUsualSize(length, sizes);
  const layer = peelBase64(text, fits);
  if (layer === undefined) return salvage(text, sizes);
  const { content, whiteSpace, isUrl, hasInnerPadding } = layer;
  // words have spaces too, but no line breaks and no such length
  const isProse = whiteSpace === 'left-out' && !/[\r\n]/.test(text) && !fits(content);
  if (isProse || hasInnerPadding) return undefined;
  const diagnoses = [
    ...(whiteSpace ? [spaceDiagnosis(text, whiteSpace)] : []),
    ...(isUrl ? [diagnose('base64url', urlMessage(text))] : []),
  ];
  return { content, isBase64: true, diagnoses, notes: paddingNotes(layer) };
}

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

export function endsWithLostPlus(text: string, sizes: readonly number[]): boolean {
  const isUsual = (digits: string) => isUsualSize(sizeOf(digits), sizes);
  const spacesToPlus = text.replace(/[\r\n\t]+/g, '').replaceAll(' ', '+');
  return text !== text.trim() && isUsual(spacesToPlus) && !isUsual(text.trim());
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

function urlMessage(digits: string): string {
  const count = countMatches(digits, /[-_]/g);
  return `enc_partner_key is Base64url: it has "-" or "_" ${count === 1 ? 'once' : `${count} times`} where Base64 has "+" or "/".`;
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

function salvage(text: string, sizes: readonly number[]): Layer | undefined {
  const digits = text.replace(/[^A-Za-z0-9+/]+/g, '');
  if (!sizes.includes(sizeOf(digits))) return undefined;
  const at = text.search(/[^A-Za-z0-9+/=\s]/);
  const message = `enc_partner_key is not Base64: character ${at + 1} is ${codePointAt(text, at)}. Without such characters it has the right length.`;
  return {
    content: Buffer.from(digits, 'base64'),
    isBase64: true,
    diagnoses: [diagnose('not-base64', message)],
  };
}

/** "U+FFFD". */
export function codePointAt(text: string, at: number): string {
  return `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** One of 10^15 ciphertexts has U+FFFD three times by chance. */
const convincingReplacements = 3;

/** A text that is the ciphertext's own bytes, decoded as characters instead of encoded as Base64. */
export function readMangledText(text: string, sizes: readonly number[]): Layer | undefined {
  if (!isNoText(text)) return undefined;
  const replaced = countMatches(text, /\ufffd/g);
  if (replaced >= convincingReplacements) {
    return lost(
      `enc_partner_key is the ciphertext's bytes decoded as UTF-8: ${replaced} of its characters are U+FFFD, which replaces bytes that were not UTF-8.`,
    );
  }
  const bytes = toSingleBytes(text);
  if (bytes === undefined || !sizes.includes(bytes.length)) return undefined;
  const message = `enc_partner_key is the ciphertext's ${bytes.length} bytes as characters (Latin-1), not as Base64.`;
  return { content: bytes, diagnoses: [diagnose('utf8-mangled', message)] };
}

/** Bytes that went through a text on their way to Base64. */
export function readMangledBytes(bytes: Uint8Array, sizes: readonly number[]): Layer | undefined {
  const isAscii = bytes.length >= 43 && bytes.every((octet) => octet < 0x80);
  const questionMarks = isAscii ? bytes.filter((octet) => octet === 0x3f).length : 0;
  if (questionMarks > bytes.length / 4) {
    return lost(
      `The ciphertext was converted to ASCII text: ${questionMarks} of its ${bytes.length} bytes are "?", and none is above 7F.`,
    );
  }
  const text = decodeUtf8(bytes);
  if (text === undefined || !/[^\0-\x7f]/.test(text)) return undefined;
  const replaced = countMatches(text, /\ufffd/g);
  if (replaced >= convincingReplacements) {
    return lost(
      `The ciphertext was converted to UTF-8 text: EF BF BD, the replacement for bytes that are not UTF-8, occurs ${replaced} times among its ${bytes.length} bytes.`,
    );
  }
  const original = toSingleBytes(text);
  if (original === undefined || !sizes.includes(original.length)) return undefined;
  const message = `The ciphertext was converted to text: as UTF-8 its ${bytes.length} bytes are ${original.length} characters, one per byte (Latin-1).`;
  return { content: original, diagnoses: [diagnose('utf8-mangled', message)] };
}

function lost(message: string): Layer {
  return {
    content: '',
    lost: true,
    diagnoses: [diagnose('utf8-mangled', `${message} The original bytes are lost.`)],
  };
}

/** Whether a text has characters that no encoding of bytes uses. */
export function isNoText(text: string): boolean {
  return /[^ -~\t\r\n]/.test(text);
}

function toSingleBytes(text: string): Uint8Array | undefined {
  const octets = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? code : windows1252[character];
  });
  return octets.every((octet) => octet !== undefined) ? Uint8Array.from(octets) : undefined;
}

/** The characters that Windows-1252 has at 80 to 9F, where Latin-1 has controls. */
const windows1252: Readonly<Record<string, number>> = Object.fromEntries(
  [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'].map((character, index) => [
    character,
    0x80 + index,
  ]),
);
