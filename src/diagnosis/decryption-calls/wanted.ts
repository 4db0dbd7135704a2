import {
  type Algorithm,
  algorithmOf,
  type Cipher,
  isSalted,
  ivBytesOf,
} from '../../crypto/cipher.ts';
import { headerBytes } from '../../crypto/payload-format.ts';
import { perUserKeyLength } from '../../crypto/per-user-key.ts';

/** A cipher, with what the calls of every stack need of it. */
export interface Wanted extends Pick<Algorithm, 'mode' | 'keyBytes' | 'blockBytes' | 'tagBytes'> {
  readonly cipher: Cipher;
  readonly family: 'aes' | 'aria' | 'des';
  readonly ivBytes: number;
  /** Where the ciphertext begins among the payload's bytes; the tag after the IV left out. */
  readonly start: number;
  readonly tagFollowsIv: boolean;
  readonly isSalted: boolean;
  /** A key of 32 characters gives more bytes than the algorithm takes. */
  readonly isCut: boolean;
  /** The digits of a fixed IV. */
  readonly fixedIv?: string;
  /** The call begins with decoding the payload's text. */
  readonly decodes: boolean;
}

/** The calls of one stack; undefined where its usual libraries lack something. */
export type CallOf = (wanted: Wanted) => string | undefined;

/** What a key of 32 characters gives in each reading, in bytes. */
const bytesOf32: Readonly<Partial<Record<Cipher['key'], number>>> = {
  utf8: perUserKeyLength,
  hex: 16,
  base64: 24,
  sha256: 32,
  'md5-hex': 32,
};

export function wantedOf(cipher: Cipher, decodes: boolean): Wanted {
  const { name, mode, keyBytes, blockBytes, tagBytes } = algorithmOf(cipher);
  const fixed = cipher.iv?.startsWith('hex:') ? cipher.iv.slice('hex:'.length) : undefined;
  return {
    cipher,
    mode,
    keyBytes,
    blockBytes,
    tagBytes,
    family: name === 'des-ede3-cbc' ? 'des' : name.startsWith('aria') ? 'aria' : 'aes',
    ivBytes: ivBytesOf(cipher),
    start: headerBytes(cipher),
    tagFollowsIv: cipher.tag === 'after-iv',
    isSalted: isSalted(cipher.key),
    isCut: (bytesOf32[cipher.key] ?? 0) > keyBytes,
    ...(fixed !== undefined && { fixedIv: fixed }),
    decodes,
  };
}

/** One after the other on a line; undefined if one is missing. */
export function statements(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.filter((part) => part !== '').join('; ');
}
