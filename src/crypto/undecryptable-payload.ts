import type { RandomBytes } from '../bytes.ts';
import type { Cipher } from './cipher.ts';
import { algorithmOf, isBlockMode } from './cipher-algorithms.ts';
import { encryptPayload } from './payload-ciphers.ts';
import { decodePayload, encodePayload } from './payload-encoding.ts';

/**
 * A payload that whoever decrypts it under `cipher` and `key` must find wrong, for certain and not
 * merely as a rule: encrypted with the right key, its padding ends in an impossible count, or its
 * GCM tag fails. (Random bytes would pass as padded text one time in 256.) In encoding and IV it is
 * like any other payload.
 *
 * @returns undefined where the cipher has nothing that could fail: stream modes, and the paddings
 *   `zero` and `none`
 * @throws {AuthcliError} `usage` where the key can't be used with the cipher
 */
export function undecryptablePayload(
  key: string,
  cipher: Cipher,
  randomBytes: RandomBytes,
): string | undefined {
  const { mode } = algorithmOf(cipher);
  if (mode === 'gcm') return withDamage(key, cipher, randomBytes);
  const isChecked = cipher.padding !== 'none' && cipher.padding !== 'zero';
  return isBlockMode(mode) && isChecked ? withBadPadding(key, cipher, randomBytes) : undefined;
}

/**
 * Three blocks whose last byte claims one byte of padding more than a block has, which no padding
 * allows. The bytes before are no UTF-8 (FF): a reader that takes so many bytes off without looking
 * is left with what is no text.
 */
function withBadPadding(key: string, cipher: Cipher, randomBytes: RandomBytes): string {
  const { blockBytes } = algorithmOf(cipher);
  const plaintext = new Uint8Array(3 * blockBytes).fill(0xff);
  plaintext[plaintext.length - 1] = blockBytes + 1;
  return encryptPayload(plaintext, key, { ...cipher, padding: 'none' }, randomBytes);
}

/** One bit of the last byte, be it of tag or ciphertext: GCM authenticates both (SP 800-38D 7.2). */
function withDamage(key: string, cipher: Cipher, randomBytes: RandomBytes): string {
  const right = encryptPayload(randomBytes(16), key, cipher, randomBytes);
  const decoded = decodePayload(right, cipher.encoding);
  if (!decoded.ok) throw new TypeError('a payload that was just encoded');
  const damaged = Uint8Array.from(decoded.bytes);
  const last = damaged.length - 1;
  damaged[last] = (damaged[last] ?? 0) ^ 1;
  return encodePayload(damaged, cipher.encoding);
}
