import { decodeUtf8 } from '../bytes.ts';
import { ivBytesOf } from '../crypto/cipher.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { parseJsonText } from '../protocol/json.ts';
import type { CipherCandidate } from './cipher-readings.ts';

/** What a text is the end of. */
export type TornShape = 'JSON' | 'form data' | 'a UUID';

/**
 * Whether a text begins in the middle: its first block was taken for an IV that the payload doesn't
 * carry. Only what hardly any passcode looks like counts; `blockBytes` is how much would be missing.
 */
export function tornShape(plaintext: Uint8Array, blockBytes: number): TornShape | undefined {
  const text = decodeUtf8(plaintext.subarray(0, mostBytes))?.trimEnd() ?? '';
  if (isEndOfJson(text)) return 'JSON';
  if (isEndOfForm(text)) return 'form data';
  return endOfUuid[blockBytes]?.test(text) ? 'a UUID' : undefined;
}

/** Whether the text that a cipher gave begins so. */
export function tornShapeOf({ cipher, plaintext }: CipherCandidate): TornShape | undefined {
  return tornShape(plaintext, ivBytesOf(parseCipher(cipher)));
}

const mostBytes = 65_536;

/** What may be missing: up to within a name, a value in quotation marks, or another value. */
const beginnings = ['{"', '{"a":"', '{"a":', '{"a":1', '{', '[{"', '[{"a":"', '[{"a":', '[{"a":1'];

function isEndOfJson(text: string): boolean {
  if (/^\s*[{[]/.test(text) || !/[}\]]$/.test(text) || !text.includes('"')) return false;
  return beginnings.some((beginning) => parseJsonText(beginning + text) !== undefined);
}

/** The end of one field, then whole ones, of which one is named like a user attribute. */
function isEndOfForm(text: string): boolean {
  const [first = '', ...fields] = text.split('&');
  const areFields = fields.every((field) => /^[A-Za-z_][\w.%[\]-]*=[^=\s]*$/.test(field));
  const isNamed = fields.some((field) => /^[^=]*(?:mail|name|phone|mobile|tel)[^=]*=/i.test(field));
  return !first.includes('=') && areFields && isNamed;
}

/** By the bytes that are missing. */
const endOfUuid: Readonly<Record<number, RegExp>> = {
  8: /^-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  16: /^[0-9a-f]{2}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
};
