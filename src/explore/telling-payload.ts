import { decodeUtf8, encodeUtf8, type RandomBytes } from '../bytes.ts';
import { algorithmOf, type Cipher } from '../crypto/cipher.ts';
import { decryptPayload, encryptPayload, undecryptablePayload } from '../crypto/payload-ciphers.ts';

/** How often a payload is drawn: each draw is right about once in eight times for each other key. */
const maxDraws = 600;

interface Drawing {
  readonly cipher: Cipher;
  readonly randomBytes: RandomBytes;
  readonly newText: () => string;
  /** Earlier keys of the user: an application may try them too, and then none may fit by chance. */
  readonly earlier: readonly string[];
}

/**
 * Text encrypted with a key so that decryption with any of the `others` surely fails, even where the
 * padding is removed unchecked: under a wrong key, a padding fits by chance once in 256 times.
 *
 * @returns undefined where the cipher has nothing that could fail, or no such payload was drawn
 */
export function payloadForOne(
  key: string,
  others: readonly string[],
  { newText, earlier, ...drawing }: Drawing,
): string | undefined {
  const { cipher, randomBytes } = drawing;
  if (undecryptablePayload(key, cipher, randomBytes) === undefined) return undefined;
  const { mode } = algorithmOf(cipher);
  return draw(() => {
    const payload = encryptPayload(encodeUtf8(newText()), key, cipher, randomBytes);
    const isTelling =
      mode === 'gcm' || others.every((other) => surelyFails(payload, other, cipher));
    return isTelling && failsUnder(payload, earlier, cipher) ? payload : undefined;
  });
}

/** What neither the key nor an earlier one of the user decrypts; undefined as above. */
export function payloadForNone(
  key: string,
  { cipher, randomBytes, earlier }: Omit<Drawing, 'newText'>,
): string | undefined {
  if (undecryptablePayload(key, cipher, randomBytes) === undefined) return undefined;
  return draw(() => {
    const payload = undecryptablePayload(key, cipher, randomBytes) ?? '';
    return failsUnder(payload, earlier, cipher) ? payload : undefined;
  });
}

function draw(once: () => string | undefined): string | undefined {
  for (let drawn = 0; drawn < maxDraws; drawn += 1) {
    const payload = once();
    if (payload !== undefined) return payload;
  }
  return undefined;
}

function failsUnder(payload: string, keys: readonly string[], cipher: Cipher): boolean {
  return keys.every((key) => !decryptPayload(payload, key, cipher).ok);
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
