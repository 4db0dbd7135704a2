import { generateKeyPairSync } from 'node:crypto';
import { encodeBase64, encodeBase64Url, encodeHex, encodeUtf8 } from '../../bytes.ts';
import { type RsaPublicKey, toRsaPublicKey } from '../../crypto/rsa-key.ts';
import { encryptRsaesPkcs1V15, rsaep } from '../../crypto/rsaes-pkcs1-v1_5.ts';
import { encodeEmeOaep, type OaepOptions } from './oaep.ts';
import {
  type ApplicationPoints,
  type FaultOf,
  type Hooks,
  type KeyExchangeSituation,
  recall,
} from './points.ts';

const check = 'key-exchange/wraps-key';

/** The key is wrapped in another way than RSAES-PKCS1-v1_5 with the key of the request. */
const wrongSchemes: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'oaep-sha1',
    title: 'Wraps the key with OAEP (SHA-1)',
    check,
    diagnosis: 'oaep-sha1',
    apply: wrapsWithOaep({ hash: 'sha1' }),
  },
  {
    name: 'oaep-sha256',
    title: 'Wraps the key with OAEP (SHA-256)',
    check,
    diagnosis: 'oaep-sha256',
    apply: wrapsWithOaep({ hash: 'sha256' }),
  },
  {
    name: 'oaep-sha256-mgf1-sha1',
    title: "Wraps the key with OAEP (SHA-256, MGF1 with SHA-1: Java's default)",
    check,
    diagnosis: 'oaep-sha256',
    apply: wrapsWithOaep({ hash: 'sha256', mgfHash: 'sha1' }),
  },
  {
    name: 'oaep-sha512',
    title: 'Wraps the key with OAEP (SHA-512)',
    check,
    diagnosis: 'oaep-other',
    apply: wrapsWithOaep({ hash: 'sha512' }),
  },
  {
    name: 'no-padding',
    title: 'Raises the key to the power of e without any padding',
    check,
    diagnosis: 'no-padding',
    apply: { ciphertext: (_, seen) => rsaep(seen.publicKey, filledLeft(seen, 0)) },
  },
  {
    name: 'pkcs1-type-1',
    title: 'Pads the key as a signature is padded (block type 1)',
    check,
    diagnosis: 'pkcs1-type-1',
    apply: { ciphertext: (_, seen) => rsaep(seen.publicKey, blockOfType1(seen)) },
  },
  {
    name: 'earlier-public-key',
    title: 'Keeps the first public_key it ever got, and wraps with that',
    check: 'key-exchange/rotated-public-key',
    diagnosis: 'earlier-public-key',
    apply: { ciphertext: (right, seen) => wrappedWith(right, seen, firstPublicKey(seen)) },
  },
  {
    name: 'other-public-key',
    title: 'Wraps with a public key of its own',
    check,
    diagnosis: 'other-public-key',
    apply: { ciphertext: (right, seen) => wrappedWith(right, seen, ownPublicKey(seen)) },
  },
  {
    name: 'ciphertext-reversed',
    title: 'Writes the ciphertext with its bytes in reverse order, as CryptoAPI gives it',
    check,
    diagnosis: 'key-bytes-reversed',
    apply: { ciphertext: (right) => Uint8Array.from(right).reverse() },
  },
  {
    name: 'ciphertext-short',
    title: 'Loses the last byte of the ciphertext',
    check,
    diagnosis: 'wrong-length',
    apply: { ciphertext: (right) => right.subarray(0, -1) },
  },
  {
    name: 'ciphertext-signed',
    title: "Puts a zero byte before the ciphertext, as Java's BigInteger does",
    check,
    diagnosis: 'wrong-length',
    apply: { ciphertext: (right) => Uint8Array.of(0, ...right) },
  },
  {
    name: 'utf8-mangled',
    title: 'Reads the ciphertext as UTF-8 text before it is encoded',
    check,
    diagnosis: 'utf8-mangled',
    apply: { ciphertext: (right) => encodeUtf8(new TextDecoder().decode(right)) },
  },
];

/** The ciphertext is right, and its text isn't. */
const wrongTexts: readonly FaultOf<ApplicationPoints>[] = [
  {
    name: 'plain-key',
    title: 'Returns the key itself, not wrapped',
    check,
    diagnosis: 'plain-key',
    apply: { encPartnerKey: (_, { key }) => key },
  },
  {
    name: 'base64-of-plain-key',
    title: 'Returns the key in Base64, not wrapped',
    check,
    diagnosis: 'base64-of-plain-key',
    apply: { encPartnerKey: (_, { key }) => encodeBase64(encodeUtf8(key)) },
  },
  {
    name: 'base64url',
    title: 'Writes the ciphertext in Base64url',
    check,
    diagnosis: 'base64url',
    apply: { encPartnerKey: (right) => encodeBase64Url(Buffer.from(right, 'base64')) },
  },
  {
    name: 'hex',
    title: 'Writes the ciphertext in hexadecimal',
    check,
    diagnosis: 'hex',
    apply: { encPartnerKey: (right) => encodeHex(Buffer.from(right, 'base64')) },
  },
  {
    name: 'line-breaks',
    title: 'Breaks the Base64 into lines of 76 characters (MIME)',
    check,
    diagnosis: 'line-breaks',
    apply: { encPartnerKey: (right) => right.replace(/.{76}(?=.)/g, '$&\r\n') },
  },
  {
    name: 'line-breaks-64',
    title: 'Breaks the Base64 into lines of 64 characters (PEM)',
    check,
    diagnosis: 'line-breaks',
    apply: { encPartnerKey: (right) => right.replace(/.{64}(?=.)/g, '$&\n') },
  },
  {
    name: 'double-base64',
    title: 'Encodes the Base64 in Base64 again',
    check,
    diagnosis: 'double-base64',
    apply: { encPartnerKey: (right) => encodeBase64(encodeUtf8(right)) },
  },
  {
    name: 'space-for-plus',
    title: 'Passes the Base64 through URL decoding, which makes every + a space',
    check,
    diagnosis: 'space-for-plus',
    apply: { encPartnerKey: (_, seen) => textWithPlus(seen).replaceAll('+', ' ') },
  },
  {
    name: 'json-quoted',
    title: 'Encodes the text as JSON twice, so that it holds its own quotation marks',
    check,
    diagnosis: 'json-quoted',
    apply: { encPartnerKey: (right) => JSON.stringify(right) },
  },
  {
    name: 'not-base64',
    title: 'Writes the name of the byte array, as Java prints it, not its content',
    check,
    diagnosis: 'not-base64',
    apply: { encPartnerKey: () => '[B@1b6d3586' },
  },
  {
    name: 'unpadded-base64',
    title: 'Leaves out the = at the end of the Base64',
    check: 'key-exchange/strict-base64',
    diagnosis: 'not-base64',
    apply: { encPartnerKey: (right) => right.replace(/=+$/, '') },
  },
  {
    name: 'trailing-newline',
    title: 'Ends the Base64 with a line break, as command-line tools do',
    check: 'key-exchange/strict-base64',
    diagnosis: 'line-breaks',
    apply: { encPartnerKey: (right) => `${right}\n` },
  },
];

/** Faults in how the per-user key is wrapped and written (section 2.2). */
export const wrappingFaults = [...wrongSchemes, ...wrongTexts];

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

function firstPublicKey(seen: KeyExchangeSituation): RsaPublicKey {
  return recall(seen, 'first public key', () => seen.publicKey);
}

function ownPublicKey(seen: KeyExchangeSituation): RsaPublicKey {
  const { modulusBits } = seen.publicKey;
  return recall(seen, `own public key of ${modulusBits} bits`, () =>
    toRsaPublicKey(generateKeyPairSync('rsa', { modulusLength: modulusBits }).publicKey),
  );
}

function wrappedWith(
  right: Uint8Array,
  { publicKey, key, randomBytes }: KeyExchangeSituation,
  other: RsaPublicKey,
): Uint8Array {
  if (other.fingerprint === publicKey.fingerprint) return right;
  return encryptRsaesPkcs1V15(other, encodeUtf8(key), randomBytes);
}

/** One ciphertext in 200 has no + in its Base64 and would be written right: wrap until there is one. */
function textWithPlus({ publicKey, key, randomBytes }: KeyExchangeSituation): string {
  const wrap = () => encodeBase64(encryptRsaesPkcs1V15(publicKey, encodeUtf8(key), randomBytes));
  let text = wrap();
  while (!text.includes('+')) text = wrap();
  return text;
}
