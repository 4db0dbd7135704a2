import { hash } from 'node:crypto';
import { decodeBase64Lenient, decodeHex, encodeUtf8 } from '../bytes.ts';
import {
  algorithmOf,
  type Cipher,
  type IvRule,
  isSalted,
  ivBytesOf,
  type KeyReading,
} from './cipher.ts';

/** Readings of the key's characters that need no salt. */
export type PlainKeyReading = Exclude<KeyReading, 'evp-md5' | 'evp-sha256'>;

/**
 * The bytes that a key's characters give in a reading, before they are cut to an algorithm's length
 * (`sha1prng`: as many as the longest takes); undefined where the text can't be read that way.
 */
export const readKeyBytes: Readonly<
  Record<PlainKeyReading, (key: string) => Uint8Array | undefined>
> = {
  utf8: encodeUtf8,
  hex: decodeHex,
  base64: decodeBase64Lenient,
  sha256: (key) => hash('sha256', key, 'buffer'),
  md5: (key) => hash('md5', key, 'buffer'),
  'md5-hex': (key) => encodeUtf8(hash('md5', key)),
  sha1prng: (key) => sha1Prng(encodeUtf8(key), 32),
};

export interface KeyMaterial {
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
}

/** The material, or why the key gives none; the reason contains lengths, never the key. */
export type KeyMaterialResult =
  | ({ readonly ok: true } & KeyMaterial)
  | { readonly ok: false; readonly reason: string };

/**
 * Derives key and IV of a cipher from the key's characters (or passphrase), which are cut to the algorithm's length.
 * @param header the IV where the rule is `prefix`, the salt with `evp-*`, else ignored
 */
export function deriveKeyMaterial(
  key: string,
  cipher: Cipher,
  header: Uint8Array,
): KeyMaterialResult {
  const { keyBytes } = algorithmOf(cipher);
  const ivBytes = ivBytesOf(cipher);
  const characters = encodeUtf8(key);
  if (isSalted(cipher.key)) {
    const digestName = cipher.key === 'evp-md5' ? 'md5' : 'sha256';
    const derived = evpBytesToKey(digestName, characters, header, keyBytes + ivBytes);
    return { ok: true, key: derived.subarray(0, keyBytes), iv: derived.subarray(keyBytes) };
  }
  const bytes = readKeyBytes[cipher.key](key);
  if (bytes === undefined) return { ok: false, reason: `the key can't be read as ${cipher.key}` };
  if (bytes.length < keyBytes) {
    const given = `the key read as ${cipher.key} gives ${bytes.length} bytes`;
    return { ok: false, reason: `${given}, ${cipher.algorithm} takes ${keyBytes}` };
  }
  const iv = findIv(cipher.iv, ivBytes, characters, header);
  if (iv === undefined) {
    return { ok: false, reason: `the key is shorter than the IV of ${ivBytes} bytes` };
  }
  return { ok: true, key: bytes.subarray(0, keyBytes), iv };
}

/** The IV that a rule gives; undefined where the key has too few characters for it. */
function findIv(
  rule: IvRule | undefined,
  ivBytes: number,
  characters: Uint8Array,
  prefix: Uint8Array,
): Uint8Array | undefined {
  if (rule === undefined) return new Uint8Array(0);
  if (rule === 'prefix') return prefix;
  if (rule === 'zero') return new Uint8Array(ivBytes);
  if (rule !== 'key-head' && rule !== 'key-tail') return decodeHex(rule.slice('hex:'.length));
  if (characters.length < ivBytes) return undefined;
  return rule === 'key-head' ? characters.subarray(0, ivBytes) : characters.subarray(-ivBytes);
}

/** The eight characters that OpenSSL and CryptoJS put before the salt. */
export const saltMagic: Uint8Array = encodeUtf8('Salted__');

export const saltBytes = 8;

/**
 * OpenSSL's `EVP_BytesToKey` with one round, which `openssl enc` without `-pbkdf2` and CryptoJS
 * (`EvpKDF`) use: D(1) = H(passphrase || salt), D(n) = H(D(n-1) || passphrase || salt), all joined.
 * The key comes first, then the IV. One round is fast to guess: not for new designs.
 */
export function evpBytesToKey(
  digest: 'md5' | 'sha256',
  passphrase: Uint8Array,
  salt: Uint8Array,
  size: number,
): Uint8Array {
  const chunks: Uint8Array[] = [];
  let last: Uint8Array = new Uint8Array(0);
  for (let produced = 0; produced < size; produced += last.length) {
    last = hash(digest, Buffer.concat([last, passphrase, salt]), 'buffer');
    chunks.push(last);
  }
  return Buffer.concat(chunks).subarray(0, size);
}

/**
 * What Java's `SecureRandom.getInstance("SHA1PRNG")` of the SUN provider yields after
 * `setSeed(seed)` as the first call, and so what `KeyGenerator.init(bits, random)` takes as key: SHA-1
 * of a state, to which output and one are then added. Other providers' SHA1PRNG differ.
 */
export function sha1Prng(seed: Uint8Array, size: number): Uint8Array {
  const state = new Int8Array(hash('sha1', seed, 'buffer'));
  const chunks: Uint8Array[] = [];
  for (let produced = 0; produced < size; produced += 20) {
    const output = hash('sha1', new Uint8Array(state.buffer), 'buffer');
    chunks.push(output);
    addToState(state, new Int8Array(output));
  }
  return Buffer.concat(chunks).subarray(0, size);
}

/**
 * Java's bytes are signed and its shift is arithmetic, so the carry is -1, 0 or 1, and the sum is
 * not that of two big integers. Where nothing changed the first byte is counted up.
 */
function addToState(state: Int8Array, output: Int8Array): void {
  let carry = 1;
  let changed = false;
  for (const [index, before] of state.entries()) {
    const sum = before + (output[index] ?? 0) + carry;
    state[index] = sum;
    changed ||= state[index] !== before;
    carry = sum >> 8;
  }
  if (!changed) state[0] = (state[0] ?? 0) + 1;
}
