import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { hasControls } from '../text.ts';
import { diagnoseWrap } from './wrapped-key-words.ts';

/** RFC 8017 7.2.1: the shortest ciphertext that can hold 32 characters has 43 octets. */
export const shortestCiphertext = 43;

/** Whether a text is 32 characters, as no ciphertext is, or a UUID: a key that nobody encrypted. */
export function isPlainKey(text: string): boolean {
  if (text.length > 2 * perUserKeyLength || hasControls(text) || text.includes('\ufffd'))
    return false;
  return (
    countCharacters(text) === perUserKeyLength ||
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
  );
}

/** Of a plain key that can be read, as it stood there or in Base64. */
export function readableKey(count: number, fromBase64: boolean): Diagnosis {
  return fromBase64
    ? diagnoseWrap(
        'base64-of-plain-key',
        `Decoded from Base64, enc_partner_key is ${count} readable characters: the plain key, which nobody encrypted.`,
      )
    : diagnoseWrap(
        'plain-key',
        `enc_partner_key is ${count} readable characters, far too few for an RSA ciphertext: the plain key itself.`,
      );
}

/** Of 32 bytes that are no text. */
export function rawKey(isBase64: boolean): Diagnosis {
  const notation = isBase64 ? 'Base64' : 'hexadecimal';
  const message = `enc_partner_key is only ${notation} of 32 bytes: a key, and no RSA ciphertext.`;
  return diagnoseWrap(isBase64 ? 'base64-of-plain-key' : 'plain-key', message);
}

/** Of a text that nothing can be decoded from. */
export function notBase64(text: string): Diagnosis {
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

/** Of a text that is longer than any ciphertext. */
export function tooLong(text: string): Diagnosis {
  const isBase64 = /^[A-Za-z0-9+/=\s]*$/.test(text);
  const what = `enc_partner_key has ${text.length} characters, far more than any RSA ciphertext.`;
  return diagnoseWrap(isBase64 ? 'wrong-length' : 'not-base64', what);
}
