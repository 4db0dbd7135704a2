import type { Cipher, IvRule, KeyReading, Padding } from '../crypto/cipher.ts';

/**
 * How much rarer a part is in the field than the usual one, in bits: a fraction of what one character
 * of evidence weighs, so it orders readings that fit equally well and decides nothing else.
 */
const keyBits: Readonly<Record<KeyReading, number>> = {
  utf8: 0,
  hex: 0.3,
  base64: 0.8,
  sha256: 0.4,
  md5: 0.6,
  'md5-hex': 0.6,
  'evp-md5': 0,
  'evp-sha256': 0.3,
  sha1prng: 0.9,
};

const ivBits: Readonly<Record<string, number>> = {
  prefix: 0,
  zero: 0.3,
  'key-head': 0.3,
  'key-tail': 0.6,
};

const modeBits: Readonly<Record<string, number>> = { cbc: 0, gcm: 0, ecb: 0.2, ctr: 0.2, cfb: 0.4 };

const sizeBits: Readonly<Record<string, number>> = { '256': 0, '128': 0.2, '192': 0.8, ede3: 0.6 };

const encodingBits: Readonly<Record<string, number>> = { base64: 0, hex: 0, base64url: 1 };

/** The rarity of a cipher beside the default one, in bits. */
export function rarityBits(cipher: Cipher): number {
  const [family = '', size = '', mode = ''] = cipher.algorithm.split('-');
  return (
    (family === 'aria' ? 1 : 0) +
    (sizeBits[size] ?? 0) +
    (modeBits[mode] ?? 0) +
    keyBits[cipher.key] +
    ivRarity(cipher.iv) +
    (cipher.tag === 'after-iv' ? 0.2 : 0) +
    (cipher.ivlen === 16 ? 0.2 : 0) +
    (encodingBits[cipher.encoding] ?? 0)
  );
}

function ivRarity(iv: IvRule | undefined): number {
  return iv === undefined ? 0 : (ivBits[iv] ?? 5);
}

/**
 * The evidence in a padding, in bits: how much likelier the last bytes are under it than as noise.
 * The number of padding bytes is as good as uniform over the block. Paddings that are rare or prove
 * nothing cost a little, which puts the stricter first among equals.
 *
 * @param count how many bytes the padding took
 */
export function paddingEvidence(padding: Padding, count: number, blockBytes: number): number {
  const choice = Math.log2(blockBytes);
  switch (padding) {
    case 'pkcs7':
      return 8 * count - choice;
    case 'ansix923':
      return 8 * count - choice - 2;
    case 'iso10126':
      return 8 - choice - 2.5;
    case 'zero':
      return 8 * Math.min(count, blockBytes - 1) - choice - 1;
    case 'none':
      return -6;
  }
}
