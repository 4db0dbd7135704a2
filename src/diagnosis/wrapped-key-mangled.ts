import { decodeUtf8 } from '../bytes.ts';
import type { Layer } from './wrapped-key-notations.ts';
import { diagnoseWrap } from './wrapped-key-words.ts';

/** How often U+FFFD must stand there: three times comes by chance in one of 10^15 ciphertexts. */
const convincingReplacements = 3;

/** A text that is the ciphertext's own bytes, decoded as characters instead of encoded as Base64. */
export function readMangledText(text: string, sizes: readonly number[]): Layer | undefined {
  if (!isNoText(text)) return undefined;
  const replaced = countReplacements(text);
  if (replaced >= convincingReplacements) {
    return lost(
      `enc_partner_key is the ciphertext's bytes read as UTF-8 text: ${replaced} of its characters are U+FFFD, which stands for bytes that were no UTF-8.`,
    );
  }
  const bytes = toSingleBytes(text);
  if (bytes === undefined || !sizes.includes(bytes.length)) return undefined;
  const message = `enc_partner_key is the ciphertext's ${bytes.length} bytes as characters (Latin-1), not as Base64.`;
  return { content: bytes, diagnosis: diagnoseWrap('utf8-mangled', message) };
}

/** Bytes that went through a text on their way to Base64. */
export function readMangledBytes(bytes: Uint8Array, sizes: readonly number[]): Layer | undefined {
  const questionMarks = bytes.filter((octet) => octet === 0x3f).length;
  if (
    questionMarks > bytes.length / 4 &&
    bytes.length >= 43 &&
    bytes.every((octet) => octet < 0x80)
  ) {
    return lost(
      `The ciphertext went through ASCII text: ${questionMarks} of its ${bytes.length} bytes are "?", and none is above 7F.`,
    );
  }
  const text = decodeUtf8(bytes);
  if (text === undefined || !/[^\0-\x7f]/.test(text)) return undefined;
  const replaced = countReplacements(text);
  if (replaced >= convincingReplacements) {
    return lost(
      `The ciphertext went through UTF-8 text: EF BF BD, the sign for bytes that are no UTF-8, stands ${replaced} times among its ${bytes.length} bytes.`,
    );
  }
  const original = toSingleBytes(text);
  if (original === undefined || !sizes.includes(original.length)) return undefined;
  const message = `The ciphertext went through text: as UTF-8 its ${bytes.length} bytes are ${original.length} characters, one for each byte (Latin-1).`;
  return { content: original, diagnosis: diagnoseWrap('utf8-mangled', message) };
}

function lost(message: string): Layer {
  return {
    content: '',
    lost: true,
    diagnosis: diagnoseWrap('utf8-mangled', `${message} What they were is lost.`),
  };
}

/** Whether a text has characters that no encoding of bytes uses. */
export function isNoText(text: string): boolean {
  return /[^ -~\t\r\n]/.test(text);
}

function countReplacements(text: string): number {
  return text.match(/\ufffd/g)?.length ?? 0;
}

/** The bytes of which each character is one, in Latin-1 or Windows-1252. */
function toSingleBytes(text: string): Uint8Array | undefined {
  const octets: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const octet = code < 0x100 ? code : windows1252[character];
    if (octet === undefined) return undefined;
    octets.push(octet);
  }
  return Uint8Array.from(octets);
}

/** The characters that Windows-1252 has at 80 to 9F, where Latin-1 has controls. */
const windows1252: Readonly<Record<string, number>> = Object.fromEntries(
  [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'].map((character, index) => [
    character,
    0x80 + index,
  ]),
);
