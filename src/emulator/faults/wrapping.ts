import { hash as digest, generateKeyPairSync } from 'node:crypto';
import {
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
  type RandomBytes,
  xor,
} from '../../bytes.ts';
import { mgf1 } from '../../crypto/eme-oaep.ts';
import { type RsaPublicKey, toRsaPublicKey } from '../../crypto/rsa-key.ts';
import { encryptRsaesPkcs1V15, rsaep } from '../../crypto/rsaes-pkcs1-v1_5.ts';
import { keepingLatest } from '../../latest-results.ts';
import { withoutEnd } from '../../text.ts';
import {
  type ApplicationPoints,
  defineFaults,
  type FaultRow,
  type Hooks,
  type KeyExchangeSituation,
} from './points.ts';

export const wrappingFaults = defineFaults(undefined, {
  'key-exchange/wraps-key': {
    'oaep-sha1': wrapsWithOaep({ hash: 'sha1' }),
    'oaep-sha256': wrapsWithOaep({ hash: 'sha256' }),
    'oaep-sha256-mgf1-sha1': {
      ...wrapsWithOaep({ hash: 'sha256', mgfHash: 'sha1' }),
      diagnosis: 'oaep-sha256',
    },
    'oaep-sha512': { ...wrapsWithOaep({ hash: 'sha512' }), diagnosis: 'oaep-other' },
    'no-padding': { ciphertext: (_, seen) => rsaep(seen.publicKey, filledLeft(seen, 0)) },
    'pkcs1-type-1': { ciphertext: (_, seen) => rsaep(seen.publicKey, blockOfType1(seen)) },
    'other-public-key': {
      ciphertext: (right, seen) =>
        wrappedWith(right, seen, ownPublicKey(seen.publicKey.modulusBits)),
    },
    'ciphertext-reversed': {
      ciphertext: (right) => Uint8Array.from(right).reverse(),
      diagnosis: 'key-bytes-reversed',
    },
    'ciphertext-short': { ciphertext: (right) => right.subarray(0, -1), diagnosis: 'wrong-length' },
    'ciphertext-signed': {
      ciphertext: (right) => Uint8Array.of(0, ...right),
      diagnosis: 'wrong-length',
    },
    'utf8-mangled': { ciphertext: (right) => encodeUtf8(new TextDecoder().decode(right)) },
    'plain-key': { encPartnerKey: (_, { key }) => key },
    'base64-of-plain-key': { encPartnerKey: (_, { key }) => encodeBase64(encodeUtf8(key)) },
    base64url: { encPartnerKey: (right) => encodeBase64Url(Buffer.from(right, 'base64')) },
    hex: { encPartnerKey: (right) => encodeHex(Buffer.from(right, 'base64')) },
    'line-breaks': { encPartnerKey: (right) => right.replace(/.{76}(?=.)/g, '$&\r\n') },
    'line-breaks-64': {
      encPartnerKey: (right) => right.replace(/.{64}(?=.)/g, '$&\n'),
      diagnosis: 'line-breaks',
    },
    'double-base64': { encPartnerKey: (right) => encodeBase64(encodeUtf8(right)) },
    'space-for-plus': {
      encPartnerKey: (right, seen) => textWithPlus(right, seen).replaceAll('+', ' '),
    },
    'json-quoted': { encPartnerKey: (right) => JSON.stringify(right) },
    'not-base64': { encPartnerKey: () => '[B@1b6d3586' },
  },
  'key-exchange/rotated-public-key': {
    'earlier-public-key': () => wrapsWithFirst(() => 'all'),
    'public-key-of-user': () => wrapsWithFirst(({ ptnCd }) => ptnCd),
  },
  'key-exchange/strict-base64': {
    'unpadded-base64': {
      encPartnerKey: (right) => withoutEnd(right, '='),
      diagnosis: 'not-base64',
    },
    'trailing-newline': { encPartnerKey: (right) => `${right}\n`, diagnosis: 'line-breaks' },
  },
});

/** A modulus too small for OAEP with this digest leaves the right ciphertext. */
function wrapsWithOaep(options: OaepOptions): Hooks<ApplicationPoints> {
  return {
    ciphertext: (right, { publicKey, key, randomBytes }) => {
      const { modulusBytes } = publicKey;
      const block = encodeEmeOaep(encodeUtf8(key), modulusBytes, randomBytes, options);
      return block === undefined ? right : rsaep(publicKey, block);
    },
  };
}

/** The key's bytes at the end of a block as long as the modulus, `fill` before them. */
function filledLeft({ publicKey, key }: KeyExchangeSituation, fill: number): Uint8Array {
  const message = encodeUtf8(key);
  const block = new Uint8Array(publicKey.modulusBytes).fill(fill);
  block.set(message, block.length - message.length);
  return block;
}

/** 00 01 FF … FF 00 and the key: the encoding of signatures (RFC 8017 9.2, RFC 2313 8.1). */
function blockOfType1(seen: KeyExchangeSituation): Uint8Array {
  const block = filledLeft(seen, 0xff);
  block.set([0, 1]);
  block[block.length - encodeUtf8(seen.key).length - 1] = 0;
  return block;
}

/** The first public key of each user, or of all. */
function wrapsWithFirst(whose: (seen: KeyExchangeSituation) => string): FaultRow {
  const first = new Map<string, RsaPublicKey>();
  return {
    ciphertext: (right, seen) => {
      const publicKey = first.get(whose(seen)) ?? seen.publicKey;
      first.set(whose(seen), publicKey);
      return wrappedWith(right, seen, publicKey);
    },
    diagnosis: 'earlier-public-key',
  };
}

const ownPublicKey = keepingLatest(4, (modulusLength: number) =>
  toRsaPublicKey(generateKeyPairSync('rsa', { modulusLength }).publicKey),
);

function wrappedWith(
  right: Uint8Array,
  { publicKey, key, randomBytes }: KeyExchangeSituation,
  other: RsaPublicKey,
): Uint8Array {
  if (other.fingerprint === publicKey.fingerprint) return right;
  return encryptRsaesPkcs1V15(other, encodeUtf8(key), randomBytes);
}

/** One ciphertext in 200 has no + in its Base64, and would be right. */
function textWithPlus(
  right: string,
  { publicKey, key, randomBytes }: KeyExchangeSituation,
): string {
  let text = right;
  while (!text.includes('+')) {
    text = encodeBase64(encryptRsaesPkcs1V15(publicKey, encodeUtf8(key), randomBytes));
  }
  return text;
}

interface OaepOptions {
  readonly hash: string;
  /** The digest of the mask generation function; Java's default is SHA-1 whatever `hash` is. */
  readonly mgfHash?: string;
}

/** EME-OAEP encoding (RFC 8017 7.1.1). Undefined for a message that is too long (step 1 b). */
export function encodeEmeOaep(
  message: Uint8Array,
  modulusBytes: number,
  randomBytes: RandomBytes,
  { hash, mgfHash = hash }: OaepOptions,
): Uint8Array | undefined {
  const labelHash = digest(hash, '', 'buffer');
  const hashBytes = labelHash.length;
  if (message.length > modulusBytes - 2 * hashBytes - 2) return undefined;
  const block = new Uint8Array(modulusBytes - hashBytes - 1);
  block.set(labelHash);
  block[block.length - message.length - 1] = 0x01;
  block.set(message, block.length - message.length);
  const seed = randomBytes(hashBytes);
  const maskedBlock = xor(block, mgf1(seed, block.length, mgfHash));
  const maskedSeed = xor(seed, mgf1(maskedBlock, hashBytes, mgfHash));
  return Uint8Array.of(0, ...maskedSeed, ...maskedBlock);
}
