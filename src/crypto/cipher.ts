/** The block ciphers with their modes, as OpenSSL names them. */
export type AlgorithmName =
  | `${'aes' | 'aria'}-${'128' | '192' | '256'}-${'cbc' | 'ecb' | 'ctr' | 'cfb' | 'gcm'}`
  | 'des-ede3-cbc';

/** How the key's characters become key bytes; the first is the default. */
export const keyReadings = [
  'utf8',
  'hex',
  'base64',
  'sha256',
  'md5',
  'md5-hex',
  'evp-md5',
  'evp-sha256',
  'sha1prng',
] as const;

/** Where the IV comes from; the first is the default. A fixed one is written `hex:` and its digits. */
export const ivRules = ['prefix', 'zero', 'key-head', 'key-tail'] as const;

/** What fills the last block; the first is the default for block modes, the last for stream modes. */
export const paddings = ['pkcs7', 'zero', 'ansix923', 'iso10126', 'none'] as const;

/** How the payload's bytes are written; the first is the default. */
export const payloadEncodings = ['base64', 'base64url', 'hex'] as const;

/** Where GCM's authentication tag stands; the first is the default. */
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
