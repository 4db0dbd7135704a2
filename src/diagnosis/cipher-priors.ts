import {
  algorithmOf,
  type Cipher,
  cipherPresets,
  formatCipher,
  isBlockMode,
  isSalted,
  type KeyReading,
  listCiphers,
  type Padding,
  parseCipher,
} from '../crypto/cipher.ts';

/** IVs written into code by hand: the ones that tutorials show, in hexadecimal. */
export const usualIvs = [
  ...[
    '1234567890123456',
    '0123456789abcdef',
    '0123456789ABCDEF',
    'abcdefghijklmnop',
    '0000000000000000',
  ].map((text) => Buffer.from(text).toString('hex')),
  '000102030405060708090a0b0c0d0e0f',
  '0102030405060708090a0b0c0d0e0f10',
];

/** How much rarer a part is in the field, in bits: it orders readings that fit equally well. */
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
    (cipher.iv === undefined ? 0 : (ivBits[cipher.iv] ?? 5)) +
    (cipher.tag === 'after-iv' ? 0.2 : 0) +
    (cipher.ivlen === 16 ? 0.2 : 0) +
    (encodingBits[cipher.encoding] ?? 0)
  );
}

/**
 * The evidence in a padding of `count` bytes, in bits, their number being uniform over the block.
 * Paddings that are rare or prove nothing cost a little: the stricter is first among equals.
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

const blockPaddingBits: Readonly<Record<Padding, number>> = {
  pkcs7: 0,
  zero: 0.6,
  none: 0.9,
  ansix923: 1.6,
  iso10126: 1.6,
};

const streamPaddingBits = 0.9;

/** What people bring along from tutorials and from other services' notices, however rare the parts are. */
const recipes = [
  'aes-256-ecb?key=md5-hex',
  'aes-256-cbc?key=md5-hex',
  'aes-128-ecb?key=md5',
  'aes-128-cbc?key=md5',
  'aes-128-cbc?key=md5&iv=zero',
  'aes-256-cbc?key=sha256',
  'aes-256-cbc?key=sha256&iv=zero',
  'aes-256-ecb?key=sha256',
  'aes-256-gcm?key=sha256',
  'aes-256-cbc?iv=zero',
  'aes-256-cbc?iv=key-head',
  'aes-256-cbc?iv=key-tail',
  'aes-128-cbc?iv=key-head',
  'aes-128-ecb?key=hex',
  'aes-128-cbc?key=hex',
  'aes-192-cbc?key=base64',
  'aes-192-cbc',
  'aes-192-ecb',
  'aes-192-gcm',
  ...['cbc', 'ecb', 'gcm'].map((mode) => `aes-256-${mode}?encoding=base64url`),
  ...['cbc', 'ecb', 'gcm', 'ctr'].map((mode) => `aes-256-${mode}?encoding=hex`),
  'des-ede3-cbc',
  'aria-256-cbc',
];

/**
 * Every cipher of the notation, fixed IVs aside: `first`, the defaults of common stacks, what people bring along,
 * then by rarity.
 */
export function likelyCiphers(first?: Cipher): readonly Cipher[] {
  const usual = [...cipherPresets.map(({ cipher }) => cipher), ...recipes].map(parseCipher);
  const rest = listCiphers()
    .map((cipher) => {
      const rarity = rarityBits(cipher) + paddingBits(cipher) + combinationBits(cipher);
      return [rarity, cipher] as const;
    })
    .sort(([left], [right]) => left - right)
    .map(([, cipher]) => cipher);
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

function paddingBits(cipher: Cipher): number {
  const { padding } = cipher;
  if (padding === undefined) return 0;
  if (isBlockMode(algorithmOf(cipher).mode)) return blockPaddingBits[padding];
  return padding === 'none' ? 0 : streamPaddingBits;
}
