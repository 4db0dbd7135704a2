import type { RandomBytes } from '../bytes.ts';
import type { Cipher } from './cipher.ts';
import { algorithmOf, isBlockMode } from './cipher-algorithms.ts';
import { encryptPayload } from './payload-ciphers.ts';
import { decodePayload, encodePayload } from './payload-encoding.ts';

/** No padding that counts its bytes ends in this: the count would exceed every block. */
const impossibleCount = 0xff;

/**
 * A payload that whoever decrypts it under `cipher` and `key` must find wrong, for certain and not
 * merely as a rule: encrypted with the right key, its padding ends in an impossible count, or its
 * GCM tag fails. (Random bytes would pass as padded text one time in 256.) In length, encoding and
 * IV it is like any other payload.
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
  const { mode, blockBytes } = algorithmOf(cipher);
  if (mode === 'gcm') return withDamagedCiphertext(key, cipher, randomBytes);
  const counts = cipher.padding !== 'none' && cipher.padding !== 'zero';
  if (!isBlockMode(mode) || !counts) return undefined;
  const padded = Uint8Array.from(randomBytes(blockBytes));
  padded[blockBytes - 1] = impossibleCount;
  return encryptPayload(padded, key, { ...cipher, padding: 'none' }, randomBytes);
}

/** One bit of the last byte, be it of tag or ciphertext: GCM authenticates both (SP 800-38D 7.2). */
function withDamagedCiphertext(key: string, cipher: Cipher, randomBytes: RandomBytes): string {
  const right = encryptPayload(randomBytes(16), key, cipher, randomBytes);
  const decoded = decodePayload(right, cipher.encoding);
  if (!decoded.ok) throw new TypeError('a payload that was just encoded');
  const damaged = Uint8Array.from(decoded.bytes);
  const last = damaged.length - 1;
  damaged[last] = (damaged[last] ?? 0) ^ 1;
  return encodePayload(damaged, cipher.encoding);
}
