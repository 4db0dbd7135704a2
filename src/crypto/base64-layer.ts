import { decodeBase64Strict } from '../bytes.ts';
import { readDerElement } from './der.ts';
import type { Peeled } from './text-layers.ts';

/** Base64 of an Ed25519 key, the shortest of them all. */
const shortestKeyText = 60;

const impossibleLength = 'its number of Base64 digits is impossible: at least one is missing';

/**
 * Takes Base64 off a text, however a lenient reader would: line breaks, Base64url, missing `=`,
 * spaces for `+`; each is noted. Undefined for a text with any other character.
 */
export function peelBase64(text: string): Peeled | undefined {
  const strict = decodeBase64Strict(text);
  if (strict !== undefined) return strict.length === 0 ? undefined : base64(strict, []);
  if (!/^[A-Za-z0-9+/_-][A-Za-z0-9+/_=\s-]*$/.test(text) || isProse(text)) return undefined;
  const joined = text.replace(/\s+/g, '');
  const plusBack = text.replaceAll(' ', '+').replace(/\s+/g, '');
  if (text.includes(' ') && !isWholeDer(joined) && isWholeDer(plusBack)) {
    const note = 'it has spaces where "+" belongs, as a form decoder leaves them';
    return base64(decodeDigits(plusBack), [note]);
  }
  const isUrl = /[-_]/.test(joined);
  const notes = [
    ...(/\s/.test(text) ? ['it has line breaks or spaces inside'] : []),
    ...(isUrl ? ['it is Base64url, not Base64'] : []),
    ...paddingNotes(joined),
  ];
  return base64(decodeDigits(joined), notes, isUrl ? 'base64url' : 'base64');
}

/** A few words are Base64 digits and spaces too, but nobody encoded anything. */
function isProse(text: string): boolean {
  return text.includes(' ') && text.length < shortestKeyText;
}

function paddingNotes(joined: string): string[] {
  const digits = joined.replace(/={1,4}$/, '');
  if (digits.includes('=')) return ['it has "=" in its middle: a strict reader stops there'];
  if (digits.length % 4 === 1) return [impossibleLength];
  const wanted = (4 - (digits.length % 4)) % 4;
  const present = joined.length - digits.length;
  return present === wanted ? [] : [`it has ${present} "=" at its end where ${wanted} belong`];
}

/** As Node and most lenient readers decode: whatever the digits give. */
function decodeDigits(joined: string): Uint8Array {
  return Buffer.from(joined.replaceAll('=', ''), 'base64');
}

function isWholeDer(joined: string): boolean {
  const bytes = decodeDigits(joined);
  const reading = readDerElement(bytes);
  return reading.ok && reading.element.encoded.length === bytes.length;
}

function base64(
  content: Uint8Array,
  notes: readonly string[],
  encoding: 'base64' | 'base64url' = 'base64',
): Peeled {
  return { content, encoding, notes };
}
