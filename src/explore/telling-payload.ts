import { decodeUtf8, encodeUtf8, type RandomBytes } from '../bytes.ts';
import { algorithmOf, type Cipher } from '../crypto/cipher.ts';
import { decryptPayload, encryptPayload, undecryptablePayload } from '../crypto/payload-ciphers.ts';

/** How often a payload is drawn: each draw is right about once in eight times for each other key. */
const maxDraws = 600;

/**
 * Text encrypted with a key so that decryption with any of the `others` surely fails, even where the
 * padding is removed unchecked: under a wrong key, a padding fits by chance once in 256 times.
 *
 * @returns undefined where the cipher has nothing that could fail, or no such payload was drawn
 */
export function payloadForOne(
  key: string,
  others: readonly string[],
  {
    cipher,
    randomBytes,
    newText,
  }: { readonly cipher: Cipher; readonly randomBytes: RandomBytes; readonly newText: () => string },
): string | undefined {
  if (undecryptablePayload(key, cipher, randomBytes) === undefined) return undefined;
  const { mode } = algorithmOf(cipher);
  for (let draw = 0; draw < maxDraws; draw += 1) {
    const payload = encryptPayload(encodeUtf8(newText()), key, cipher, randomBytes);
    if (mode === 'gcm' || others.every((other) => surelyFails(payload, other, cipher)))
      return payload;
  }
  return undefined;
}

/** An impossible count whose removal leaves bytes that are not UTF-8. */
function surelyFails(payload: string, key: string, cipher: Cipher): boolean {
  const noise = decryptPayload(payload, key, { ...cipher, padding: 'none' });
  if (!noise.ok) return true;
  const { plaintext } = noise;
  const count = plaintext.at(-1) ?? 0;
  if (count <= algorithmOf(cipher).blockBytes || count >= plaintext.length) return false;
  return decodeUtf8(plaintext.subarray(0, plaintext.length - count)) === undefined;
}
