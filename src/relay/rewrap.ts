import type { RsaPrivateKey, RsaPublicKey } from '../crypto/rsa-key.ts';
import { rsadp, rsaep } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { openBlock } from '../diagnosis/wrapped-key-block.ts';
import { replaceStrings } from './json-strings.ts';
import { encodeLike } from './text-form.ts';

/** A public key of the service, and the key pair that takes its place towards the application. */
export interface KeySubstitute {
  readonly service: RsaPublicKey;
  readonly own: RsaPrivateKey;
}

/**
 * The text of a public key with the modulus of the substitute in it and everything else as it was:
 * structure, encoding, line breaks. Undefined for a form in which the modulus isn't found.
 */
export function withOwnModulus(text: string, { service, own }: KeySubstitute): string | undefined {
  const der = bytesOf(text);
  const at = der.indexOf(service.modulus);
  if (at < 0) return undefined;
  der.set(own.publicKey.modulus, at);
  return encodeLike(text, der);
}

/**
 * An `enc_partner_key` under a public key of the service as it is for its substitute, the first of
 * `substitutes` that fits: the block inside is encrypted again as it is, so that padding, key and whatever
 * is wrong with them stay, and written in the same form. Undefined for what none of them decrypts: that was
 * encrypted for another key.
 */
export function rewrap(text: string, substitutes: readonly KeySubstitute[]): string | undefined {
  if (text.length < shortestText) return undefined;
  if (/^\s*["{[]/.test(text)) return rewrapStrings(Buffer.from(text), substitutes)?.toString();
  const plain = text.includes(' ') ? text.replaceAll(' ', '+') : text;
  if (plain !== text) {
    const rewritten = rewrapBytes(plain, substitutes);
    if (rewritten !== undefined) return rewritten.replaceAll('+', ' ');
  }
  return rewrapBytes(text, substitutes);
}

/** The same for every string in a body. */
export function rewrapStrings(
  body: Uint8Array,
  substitutes: readonly KeySubstitute[],
): Buffer | undefined {
  return replaceStrings(body, (value) => rewrap(value, substitutes));
}

/** Base64 of 384 bits: no RSA key is shorter. */
const shortestText = 64;

function rewrapBytes(text: string, substitutes: readonly KeySubstitute[]): string | undefined {
  const bytes = bytesOf(text);
  const other = rewrapCiphertext(bytes, substitutes);
  if (other !== undefined) return encodeLike(text, other);
  // encoded twice: the text inside has the same length again
  const isText = bytes.length >= shortestText && bytes.every((octet) => octet > 8 && octet < 0x7f);
  const inner = isText ? rewrap(bytes.toString('latin1'), substitutes) : undefined;
  return inner === undefined ? undefined : encodeLike(text, Buffer.from(inner, 'latin1'));
}

function rewrapCiphertext(
  bytes: Uint8Array,
  substitutes: readonly KeySubstitute[],
): Uint8Array | undefined {
  for (const { own, service } of substitutes) {
    if (bytes.length !== own.modulusBytes) continue;
    const block = structured(own, bytes);
    if (block !== undefined) return rsaep(service, block);
    const reversed = structured(own, bytes.toReversed());
    if (reversed !== undefined) return rsaep(service, reversed).toReversed();
  }
  return undefined;
}

/** The decrypted block, if it has the structure of any padding. */
function structured(own: RsaPrivateKey, ciphertext: Uint8Array): Uint8Array | undefined {
  const block = rsadp(own, ciphertext);
  return block !== undefined && openBlock(block) !== undefined ? block : undefined;
}

/** The bytes of a PEM block, of hexadecimal, or of Base64 in either alphabet. */
function bytesOf(text: string): Buffer {
  const block = text.replace(/-----[^-]+-----/g, '').replace(/\s/g, '');
  return Buffer.from(block, /^(?:[\da-fA-F]{2})+$/.test(block) ? 'hex' : 'base64');
}
