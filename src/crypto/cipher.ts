/** The block ciphers with their modes, as OpenSSL names them. */
export type AlgorithmName =
  | `${'aes' | 'aria'}-${'128' | '192' | '256'}-${'cbc' | 'ecb' | 'ctr' | 'cfb' | 'gcm'}`
  | 'des-ede3-cbc';

/** How the key's characters become key bytes; the first is the default. */
export const keyReadings = [
  ...(['utf8', 'hex', 'base64', 'sha256', 'md5', 'md5-hex'] as const),
  ...(['evp-md5', 'evp-sha256', 'sha1prng'] as const),
] as const;

/** Where the IV comes from; the first is the default. A fixed one is written `hex:` and its digits. */
export const ivRules = ['prefix', 'zero', 'key-head', 'key-tail'] as const;

/** What fills the last block; the first is the default for block modes, the last for stream modes. */
export const paddings = ['pkcs7', 'zero', 'ansix923', 'iso10126', 'none'] as const;

/** How the payload's bytes are written; the first is the default. */
export const payloadEncodings = ['base64', 'base64url', 'hex'] as const;

/** Where GCM's authentication tag is; the first is the default. */
export const tagPlaces = ['suffix', 'after-iv'] as const;

/** GCM's IV lengths in bytes; the first is the default. */
export const ivLengths = [12, 16] as const;

export type KeyReading = (typeof keyReadings)[number];
export type IvRule = (typeof ivRules)[number] | `hex:${string}`;
export type Padding = (typeof paddings)[number];
export type PayloadEncoding = (typeof payloadEncodings)[number];
export type TagPlace = (typeof tagPlaces)[number];
export type IvLength = (typeof ivLengths)[number];

/**
 * The cipher of a payload: everything that has to be agreed on beside the per-user key. Parts that
 * don't apply are absent: `iv` in ECB and with `evp-*`, `padding` in GCM, `tag` and `ivlen` elsewhere.
 */
export interface Cipher {
  readonly algorithm: AlgorithmName;
  readonly key: KeyReading;
  readonly iv?: IvRule;
  readonly padding?: Padding;
  readonly encoding: PayloadEncoding;
  readonly tag?: TagPlace;
  readonly ivlen?: IvLength;
}

/** The default: a key of 32 characters is exactly an AES-256 key. */
export const defaultCipher: Cipher = {
  algorithm: 'aes-256-cbc',
  key: 'utf8',
  iv: 'prefix',
  padding: 'pkcs7',
  encoding: 'base64',
};

/** Whether the key is derived from a passphrase and the salt in the payload (OpenSSL, CryptoJS). */
export function isSalted(key: KeyReading): key is 'evp-md5' | 'evp-sha256' {
  return key === 'evp-md5' || key === 'evp-sha256';
}

/** The modes of operation: ECB, CBC, CFB (CFB128) and CTR of NIST SP 800-38A, GCM of SP 800-38D. */
export type Mode = 'cbc' | 'ecb' | 'ctr' | 'cfb' | 'gcm';

/** Sizes in bytes. */
export interface Algorithm {
  readonly name: AlgorithmName;
  readonly mode: Mode;
  readonly keyBytes: number;
  readonly blockBytes: number;
  /** The IV lengths it takes, the usual one first; none in ECB. */
  readonly ivBytes: readonly number[];
  readonly tagBytes: number;
  /** The paddings it takes, the usual one first; none in GCM. */
  readonly paddings: readonly Padding[];
}

export const algorithms: readonly Algorithm[] = [
  ...(['aes', 'aria'] as const).flatMap((family) =>
    ([256, 192, 128] as const).flatMap((bits) =>
      (['cbc', 'ecb', 'ctr', 'cfb', 'gcm'] as const).map((mode) =>
        algorithm(`${family}-${bits}-${mode}`, mode, bits / 8, 16),
      ),
    ),
  ),
  algorithm('des-ede3-cbc', 'cbc', 24, 8),
];

const byName = new Map<string, Algorithm>(algorithms.map((entry) => [entry.name, entry]));

/** The algorithm of that name (small letters); undefined for a name that isn't in the table. */
export function findAlgorithm(name: string): Algorithm | undefined {
  return byName.get(name);
}

export function algorithmOf(cipher: Cipher): Algorithm {
  const found = byName.get(cipher.algorithm);
  if (found === undefined) throw new TypeError(`no such algorithm: ${cipher.algorithm}`);
  return found;
}

/** The length of the cipher's IV in bytes: 0 in ECB, the chosen one in GCM. */
export function ivBytesOf(cipher: Cipher): number {
  return cipher.ivlen ?? algorithmOf(cipher).ivBytes[0] ?? 0;
}

/** Whether ciphertext and plaintext are whole blocks (ECB, CBC). */
export function isBlockMode(mode: Mode): boolean {
  return mode === 'cbc' || mode === 'ecb';
}

function algorithm(
  name: AlgorithmName,
  mode: Mode,
  keyBytes: number,
  blockBytes: number,
): Algorithm {
  const base = { name, mode, keyBytes, blockBytes };
  // a shorter tag is easier to forge (SP 800-38D 5.2.1.2), so no other length is taken
  if (mode === 'gcm') return { ...base, ivBytes: ivLengths, tagBytes: 16, paddings: [] };
  return {
    ...base,
    ivBytes: mode === 'ecb' ? [] : [blockBytes],
    tagBytes: 0,
    paddings: isBlockMode(mode) ? paddings : ['none', 'pkcs7'],
  };
}
