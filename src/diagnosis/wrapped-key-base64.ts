import { decodeBase64Strict } from '../bytes.ts';
import type { Diagnosis } from '../errors.ts';
import type { Layer } from './wrapped-key-notations.ts';
import { diagnoseWrap } from './wrapped-key-words.ts';

/** In bytes: RSA of 1024, 2048, 3072 and 4096 bits. */
const usualSizes: readonly number[] = [128, 256, 384, 512];

/**
 * Takes Base64 off however it was damaged, as long as its digits are there. White space around and
 * missing or superfluous `=` are notes, everything else a diagnosis (2.2, RFC 4648 3.1 to 3.5).
 */
export function peelBase64Layer(text: string, sizes: readonly number[]): Layer | undefined {
  const strict = decodeBase64Strict(text);
  if (strict !== undefined && strict.length > 0) return { content: strict, isBase64: true };
  if (!/^[A-Za-z0-9+/_=\s-]+$/.test(text)) return salvage(text, sizes);
  const unspaced = unspace(text, sizes);
  if (unspaced === undefined) return undefined;
  const { digits, diagnosis } = unspaced;
  const isUrl = /[-_]/.test(digits);
  const body = digits.replace(/={1,8}$/, '');
  if (body.includes('=') || body === '') return undefined;
  const content = Buffer.from(body, 'base64');
  const notes = paddingNotes(digits, body, isUrl);
  const url = isUrl ? [diagnoseWrap('base64url', urlMessage(digits))] : [];
  return { content, isBase64: true, diagnoses: [...(diagnosis ? [diagnosis] : []), ...url], notes };
}

/** Takes white space out of the inside; undefined for words, which have spaces and no such length. */
function unspace(text: string, sizes: readonly number[]): Unspaced | undefined {
  if (!/\s/.test(text)) return { digits: text };
  const joined = text.replace(/\s+/g, '');
  const withPlus = spacesToPlus(text);
  const breaks = countMatches(text, /\r\n|\r|\n/g);
  if (fits(withPlus, sizes) && !fits(joined, sizes)) {
    const spaces = countMatches(text, / /g);
    const message = `enc_partner_key has ${spaces} ${spaces === 1 ? 'space' : 'spaces'} inside where "+" belongs.`;
    return { digits: withPlus, diagnosis: diagnoseWrap('space-for-plus', message) };
  }
  if (breaks === 0 && !fits(joined, sizes)) return undefined;
  const first = text.search(/\s/);
  const what = breaks === 0 ? 'white space' : `${breaks} line ${breaks === 1 ? 'break' : 'breaks'}`;
  const message = `enc_partner_key has ${what} inside, the first after ${first} characters.`;
  return { digits: joined, diagnosis: diagnoseWrap('line-breaks', message) };
}

interface Unspaced {
  readonly digits: string;
  readonly diagnosis?: Diagnosis;
}

/** Whether a text has spaces at its ends that are no white space around it but lost `+`. */
export function endsWithLostPlus(text: string, sizes: readonly number[]): boolean {
  return text !== text.trim() && fits(spacesToPlus(text), sizes) && !fits(text.trim(), sizes);
}

function spacesToPlus(text: string): string {
  return text.replace(/[\r\n\t]+/g, '').replaceAll(' ', '+');
}

/** Whether so many digits are a ciphertext of one of the keys, or of a key in usual size. */
function fits(digits: string, sizes: readonly number[]): boolean {
  const size = sizeOf(digits);
  return sizes.includes(size) || usualSizes.includes(size);
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function sizeOf(digits: string): number {
  return Math.floor((digits.replace(/={1,8}$/, '').length * 3) / 4);
}

function urlMessage(digits: string): string {
  const count = digits.match(/[-_]/g)?.length ?? 0;
  return `enc_partner_key is Base64url: it has "-" or "_" ${count === 1 ? 'once' : `${count} times`} where Base64 has "+" or "/".`;
}

function paddingNotes(digits: string, body: string, isUrl: boolean): readonly string[] {
  const wanted = (4 - (body.length % 4)) % 4;
  const present = digits.length - body.length;
  // Base64url is written without padding (RFC 4648 5), which its own diagnosis covers
  if (present === wanted || (isUrl && present === 0)) return [];
  if (body.length % 4 === 1)
    return ['enc_partner_key has an impossible number of Base64 digits: some are missing'];
  return [`enc_partner_key ends with ${present} "=" where ${wanted} belong`];
}

/** A few characters too many, such as a comma after it: without them it is as long as a ciphertext. */
function salvage(text: string, sizes: readonly number[]): Layer | undefined {
  const digits = text.replace(/[^A-Za-z0-9+/]+/g, '');
  if (!sizes.includes(sizeOf(digits))) return undefined;
  const at = text.search(/[^A-Za-z0-9+/=\s]/);
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const message = `enc_partner_key is no Base64: character ${at + 1} is U+${code}. Without such characters it has the right length.`;
  return {
    content: Buffer.from(digits, 'base64'),
    isBase64: true,
    diagnosis: diagnoseWrap('not-base64', message),
  };
}
