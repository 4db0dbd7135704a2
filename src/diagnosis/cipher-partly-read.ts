import { algorithmOf } from '../crypto/cipher-algorithms.ts';
import type { Reading } from './cipher-readings.ts';
import { assessPlaintext, type Plausibility } from './plausibility.ts';
import type { ShapeKind } from './text-shapes.ts';

/**
 * Weighs a reading by what follows its first block. In CBC and CFB a right key and a wrong IV leave
 * noise in that block alone, so text after it is the mark of a fixed IV, which only a known plaintext
 * can tell. Such a reading says `iv=zero`; for others the plausibility is none.
 */
export function assessAfterFirstBlock(reading: Reading, kind: ShapeKind | undefined): Plausibility {
  const { cipher, plaintext } = reading;
  const { mode, blockBytes } = algorithmOf(cipher);
  if (cipher.iv !== 'zero' || (mode !== 'cbc' && mode !== 'cfb')) {
    return { bits: 0, isClean: false, shape: 'binary' };
  }
  return assessPlaintext(withoutCutCharacter(plaintext.subarray(blockBytes)), kind);
}

/** Without the bytes of a UTF-8 character that began in the first block. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}

const cutEnds: readonly RegExp[] = [
  // JSON or markup without its beginning.
  /^[^{[<].*[}\]>]\s*$/s,
  // The last groups of a UUID.
  /^[0-9a-f-]{0,8}-[0-9a-f]{12}$/i,
  /^[0-9a-f]{0,7}(?:-[0-9a-f]{4}){0,3}-[0-9a-f]{12}$/i,
  // Form fields, the first without its name.
  /^[^=&\s]*&[\w.-]+=/,
];

/**
 * Whether a text looks like the rest of one that began a block earlier. The IV was not in front of
 * the ciphertext then: its first block has been taken for the IV.
 */
export function looksCut(text: string): boolean {
  return cutEnds.some((pattern) => pattern.test(text.slice(0, 16_384)));
}
