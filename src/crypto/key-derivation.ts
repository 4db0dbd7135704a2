import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { decodeBase64Lenient, decodeHex, encodeHex, encodeUtf8 } from '../bytes.ts';
import type { Cipher, IvRule, KeyReading } from './cipher.ts';
import { isSalted } from './cipher.ts';
import { algorithmOf, ivBytesOf } from './cipher-algorithms.ts';
import { evpBytesToKey } from './evp-bytes-to-key.ts';
import { sha1Prng } from './sha1prng.ts';

/** Readings of the key's characters that need no salt. */
export type PlainKeyReading = Exclude<KeyReading, 'evp-md5' | 'evp-sha256'>;

/** The longest key and IV that any algorithm takes, together, in bytes. */
const longestKeyBytes = 32;

/** The bytes that a reading always gives, whatever the key; absent where the key decides. */
export const fixedKeyBytes: Readonly<Partial<Record<KeyReading, number>>> = {
  sha256: 32,
  md5: 16,
  'md5-hex': 32,
};

const readers: Readonly<Record<PlainKeyReading, (key: string) => Uint8Array | undefined>> = {
  utf8: encodeUtf8,
  hex: decodeHex,
  base64: decodeBase64Lenient,
  sha256: (key) => digest('sha256', key),
  md5: (key) => digest('md5', key),
  'md5-hex': (key) => encodeUtf8(encodeHex(digest('md5', key))),
  sha1prng: (key) => sha1Prng(encodeUtf8(key), longestKeyBytes),
};

/** Key and IV, ready for use. */
export interface KeyMaterial {
  readonly keyObject: KeyObject;
  readonly iv: Uint8Array;
}

/** The material, or why the key gives none; the reason holds lengths, never the key. */
export type KeyMaterialResult =
  | { readonly ok: true; readonly material: KeyMaterial }
  | { readonly ok: false; readonly reason: string };

/**
 * The bytes that a key's characters give in a reading, before they are cut to an algorithm's length
 * (`sha1prng`: as many as the longest takes); undefined where the text can't be read that way.
 */
export function readKeyBytes(key: string, reading: PlainKeyReading): Uint8Array | undefined {
  return readers[reading](key);
}

/**
 * Derives key and IV of a cipher. The key's bytes are cut to the algorithm's length; fewer don't
 * apply.
 *
 * @param header the IV where the rule is `prefix`, the salt with `evp-*`, else not looked at
 */
export type DeriveKeyMaterial = (cipher: Cipher, header: Uint8Array) => KeyMaterialResult;

/** Derivation from one key's characters (or passphrase) for many ciphers: each reading is done once. */
export function prepareKey(key: string): DeriveKeyMaterial {
  const bytesOf = remember((reading: PlainKeyReading) => readKeyBytes(key, reading));
  const objectOf = remember((bytes: Uint8Array) => createSecretKey(bytes));
  const cut = remember((reading: PlainKeyReading) =>
    remember((size: number) => bytesOf(reading)?.subarray(0, size)),
  );
  const characters = encodeUtf8(key);
  return (cipher, header) => {
    const { keyBytes } = algorithmOf(cipher);
    const ivBytes = ivBytesOf(cipher);
    if (isSalted(cipher.key)) {
      const derived = deriveSalted(cipher.key, characters, header, keyBytes + ivBytes);
      return usable(createSecretKey(derived.subarray(0, keyBytes)), derived.subarray(keyBytes));
    }
    const bytes = cut(cipher.key)(keyBytes);
    if (bytes === undefined) return unusable(`the key can't be read as ${cipher.key}`);
    if (bytes.length < keyBytes) {
      const given = `the key read as ${cipher.key} gives ${bytes.length} bytes`;
      return unusable(`${given}, ${cipher.algorithm} takes ${keyBytes}`);
    }
    const iv = findIv(cipher.iv, ivBytes, characters, header);
    if (iv === undefined) return unusable(`the key is shorter than the IV of ${ivBytes} bytes`);
    return usable(objectOf(bytes), iv);
  };
}

function deriveSalted(
  reading: 'evp-md5' | 'evp-sha256',
  passphrase: Uint8Array,
  salt: Uint8Array,
  size: number,
): Uint8Array {
  return evpBytesToKey(reading === 'evp-md5' ? 'md5' : 'sha256', passphrase, salt, size);
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

/** A function that works out each argument's value once. Most keys are used for one cipher, which needs no map. */
function remember<Argument, Value>(
  work: (argument: Argument) => Value,
): (argument: Argument) => Value {
  let first: { readonly argument: Argument; readonly value: Value } | undefined;
  let others: Map<Argument, { readonly value: Value }> | undefined;
  return (argument) => {
    first ??= { argument, value: work(argument) };
    if (first.argument === argument) return first.value;
    others ??= new Map();
    const entry = others.get(argument) ?? { value: work(argument) };
    others.set(argument, entry);
    return entry.value;
  };
}

function usable(keyObject: KeyObject, iv: Uint8Array): KeyMaterialResult {
  return { ok: true, material: { keyObject, iv } };
}

function unusable(reason: string): KeyMaterialResult {
  return { ok: false, reason };
}

function digest(name: 'md5' | 'sha256', key: string): Uint8Array {
  return createHash(name).update(key, 'utf8').digest();
}
