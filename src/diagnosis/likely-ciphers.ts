import { type Cipher, isSalted, type Padding } from '../crypto/cipher.ts';
import { algorithmOf, isBlockMode } from '../crypto/cipher-algorithms.ts';
import {
  cipherPresets,
  formatCipher,
  listCiphers,
  parseCipher,
} from '../crypto/cipher-notation.ts';
import { rarityBits } from './cipher-priors.ts';

/** As `rarityBits`, for the padding of a block mode. */
const blockPaddingBits: Readonly<Record<Padding, number>> = {
  pkcs7: 0,
  zero: 0.6,
  none: 0.9,
  ansix923: 1.6,
  iso10126: 1.6,
};

/** And of a stream mode, which needs none. */
const streamPaddingBits = 0.9;

/**
 * Every cipher of the notation, fixed IVs aside, each once, in the order in which it is worth trying:
 * what common stacks make by default, then by how rare its parts are in the field.
 *
 * @param first a cipher that there is reason to try before all others
 */
export function likelyCiphers(first?: Cipher): readonly Cipher[] {
  const usual = cipherPresets.map(({ cipher }) => parseCipher(cipher));
  const rest = listCiphers()
    .map((cipher) => ({ cipher, rarity: rarityOf(cipher) }))
    .sort((left, right) => left.rarity - right.rarity)
    .map(({ cipher }) => cipher);
  const ordered = [...(first === undefined ? [] : [first]), ...usual, ...rest];
  return [...new Map(ordered.map((cipher) => [formatCipher(cipher), cipher])).values()];
}

/** How much rarer parts are together than each alone, in bits. */
function combinationBits({ key, algorithm, iv, ivlen }: Cipher): number {
  const isGcm = algorithm.endsWith('-gcm');
  return (
    (isSalted(key) && !algorithm.endsWith('-cbc') ? 1.5 : 0) +
    (key === 'sha1prng' && !algorithm.endsWith('-ecb') ? 1 : 0) +
    (isGcm && iv !== 'prefix' ? 1 : 0) +
    (isGcm && ivlen === 16 ? 0.4 : 0)
  );
}

/** The parts in which nearly equal ciphers differ. */
const nearParts = ['iv', 'padding', 'encoding', 'tag', 'ivlen'] as const;

/** The ciphers of the notation that differ from this one in a single part beside algorithm and key. */
export function neighbouringCiphers(cipher: Cipher): readonly Cipher[] {
  return listCiphers().filter(
    (other) =>
      other.algorithm === cipher.algorithm &&
      other.key === cipher.key &&
      nearParts.filter((part) => other[part] !== cipher[part]).length === 1,
  );
}

function rarityOf(cipher: Cipher): number {
  return rarityBits(cipher) + paddingBits(cipher) + combinationBits(cipher);
}

function paddingBits(cipher: Cipher): number {
  const { padding } = cipher;
  if (padding === undefined) return 0;
  if (isBlockMode(algorithmOf(cipher).mode)) return blockPaddingBits[padding];
  return padding === 'none' ? 0 : streamPaddingBits;
}
