import { createDecipheriv, hash, pbkdf2Sync, scryptSync } from 'node:crypto';
import { encodeUtf8 } from '../bytes.ts';
import { type DerElement, derTags, readDerElement } from './der.ts';
import { childrenOf, damaged, KeyFault, numberOf, octetsOf, oidOf } from './der-fields.ts';
import {
  type BlockCipher,
  ciphers,
  des,
  des2,
  des3,
  digestName,
  digestOfHmac,
  rc2,
  unsupported,
} from './password-ciphers.ts';
import { bmpPassword, pkcs12Kdf } from './pkcs12-kdf.ts';

/** What a password encrypted a key or a part of a key store with, read before anything is derived. */
export interface PasswordEncryption {
  /** By its usual name: "PBES2 with PBKDF2 (HMAC-SHA-256) and AES-256-CBC". */
  readonly name: string;
  readonly iterations: number;
  readonly cipher: BlockCipher;
  /** `null` is PKCS #12's missing password, which is not the empty one (RFC 7292 B.1). */
  readonly derive: (password: string | null) => KeyAndIv;
}

/** What a password and salt give. */
export interface KeyAndIv {
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
}

/** All counts of a file together: NSS uses 600,000 for each of three, OpenSSL 2,048, Java 10,000. */
export const maxIterations = 3_000_000;

/** Bounds the work that a file may ask for, by the counts that are written in it. */
export class Iterations {
  #left = maxIterations;

  /** Throws before anything is derived with a count that is not reasonable. */
  spend(count: number, name: string): void {
    if (count < 1) throw damaged(`${name} has no iterations`);
    this.#left -= count;
    if (this.#left >= 0) return;
    throw new KeyFault({
      code: 'too-many-iterations',
      reason: `its key derivation, ${name} with ${count} iterations, is more work than the ${maxIterations} iterations that are run for one file`,
      fix: (file) =>
        `If you trust the file, convert it with the tool that wrote it, or with \`openssl pkey -in ${file} -out key.pem\` (PKCS #8) or \`openssl pkcs12 -in ${file} -nodes -out key.pem\` (PKCS #12).`,
    });
  }
}

/** RFC 7292 C and RFC 8018 A.3: schemes whose cipher and digest are one identifier. */
const schemes: Readonly<Record<string, readonly [kdf: 'pkcs12' | 'sha1' | 'md5', BlockCipher]>> = {
  '1.2.840.113549.1.12.1.3': ['pkcs12', des3],
  '1.2.840.113549.1.12.1.4': ['pkcs12', des2],
  '1.2.840.113549.1.12.1.5': ['pkcs12', rc2(128)],
  '1.2.840.113549.1.12.1.6': ['pkcs12', rc2(40)],
  '1.2.840.113549.1.5.3': ['md5', des],
  '1.2.840.113549.1.5.6': ['md5', rc2(64)],
  '1.2.840.113549.1.5.10': ['sha1', des],
  '1.2.840.113549.1.5.11': ['sha1', rc2(64)],
};

const pbes2 = '1.2.840.113549.1.5.13';
const pbkdf2 = '1.2.840.113549.1.5.12';
const scrypt = '1.3.6.1.4.1.11591.4.11';

/** The encryption that an AlgorithmIdentifier names. Throws {@link KeyFault} for one that is not supported. */
export function readPasswordEncryption(identifier: DerElement): PasswordEncryption {
  const [algorithm, parameters] = childrenOf(identifier);
  const oid = oidOf(algorithm);
  if (oid === pbes2) return readPbes2(parameters);
  const scheme = schemes[oid];
  if (scheme === undefined) throw unsupported(oid);
  const [kdf, cipher] = scheme;
  const [salt, count] = childrenOf(parameters);
  const input = { salt: octetsOf(salt), iterations: numberOf(count) };
  const name = kdf === 'pkcs12' ? 'PKCS #12 with SHA-1' : `PBES1 with ${kdf.toUpperCase()}`;
  return {
    name: `${name} and ${cipher.name}`,
    iterations: input.iterations,
    cipher,
    derive: (password) =>
      kdf === 'pkcs12' ? pkcs12Keys(password, cipher, input) : pbkdf1(kdf, password, input),
  };
}

/** RFC 8018 A.4. */
function readPbes2(parameters: DerElement | undefined): PasswordEncryption {
  const [kdf, scheme] = childrenOf(parameters).map(childrenOf);
  const kdfOid = oidOf(kdf?.[0]);
  const cipherOid = oidOf(scheme?.[0]);
  const cipher = ciphers[cipherOid];
  if (cipher === undefined) throw unsupported(cipherOid);
  const iv = octetsOf(scheme?.[1]);
  const { name, iterations, key } =
    kdfOid === scrypt ? readScrypt(kdf?.[1], cipher.keyBytes) : readPbkdf2(kdfOid, kdf?.[1]);
  return {
    name: `PBES2 with ${name} and ${cipher.name}`,
    iterations,
    cipher,
    derive: (password) => ({ key: key(password, cipher.keyBytes), iv }),
  };
}

/** A key derivation of RFC 8018, read from its parameters. */
export interface KeyDerivation {
  readonly name: string;
  readonly iterations: number;
  readonly key: (password: string | null, size: number) => Uint8Array;
  /** The length that the parameters ask for. */
  readonly size?: number;
}

/** RFC 8018 A.2; also of PBMAC1 (RFC 9579). */
export function readPbkdf2(oid: string, parameters: DerElement | undefined): KeyDerivation {
  if (oid !== pbkdf2) throw unsupported(oid);
  const [saltElement, count, ...rest] = childrenOf(parameters);
  const salt = octetsOf(saltElement);
  const iterations = numberOf(count);
  const prf = rest.find(({ tag }) => tag === derTags.sequence);
  const sizeElement = rest.find(({ tag }) => tag === derTags.integer);
  const digest = digestOfHmac(prf);
  return {
    name: `PBKDF2 (HMAC-${digestName(digest)})`,
    iterations,
    key: (password, size) => pbkdf2Sync(encodeUtf8(password ?? ''), salt, iterations, size, digest),
    ...(sizeElement && { size: numberOf(sizeElement) }),
  };
}

/** RFC 7914: its memory is 128 * N * r bytes; one of its blocks costs about as much as an iteration. */
function readScrypt(parameters: DerElement | undefined, keyBytes: number): KeyDerivation {
  const [saltElement, ...costs] = childrenOf(parameters);
  const salt = octetsOf(saltElement);
  const [N = 0, r = 0, p = 0] = costs.map(numberOf);
  const maxmem = 64 * 1024 * 1024;
  const isLarge = 128 * N * r > maxmem / 2;
  return {
    name: `scrypt (N ${N}, r ${r}, p ${p})`,
    iterations: isLarge ? Number.POSITIVE_INFINITY : 2 * N * r * p,
    key: (password) => scryptSync(password ?? '', salt, keyBytes, { N, r, p, maxmem }),
  };
}

interface SaltAndCount {
  readonly salt: Uint8Array;
  readonly iterations: number;
}

function pkcs12Keys(
  password: string | null,
  { keyBytes }: BlockCipher,
  input: SaltAndCount,
): KeyAndIv {
  const characters = bmpPassword(password);
  const derived = { digest: 'sha1', password: characters, ...input } as const;
  const iv = pkcs12Kdf({ ...derived, purpose: 'iv', size: 8 });
  return { key: pkcs12Kdf({ ...derived, purpose: 'key', size: keyBytes }), iv };
}

/** PBKDF1 (RFC 8018 5.1): eight bytes of key, eight of IV (6.1.1). */
function pbkdf1(
  digest: 'sha1' | 'md5',
  password: string | null,
  { salt, iterations }: SaltAndCount,
): KeyAndIv {
  let value: Uint8Array = Buffer.concat([encodeUtf8(password ?? ''), salt]);
  for (let count = 0; count < iterations; count += 1) value = hash(digest, value, 'buffer');
  return { key: value.subarray(0, 8), iv: value.subarray(8, 16) };
}

export type Decryption =
  | { readonly ok: true; readonly plaintext: Uint8Array }
  | { readonly ok: false; readonly because: 'password' | 'damage' };

/**
 * Decrypts DER in CBC mode with PKCS #7 padding (RFC 8018 6.1). A right password shows in the first block: a
 * SEQUENCE as long as the plaintext, which a wrong one gives once in millions; what is wrong behind it is damage.
 */
export async function decryptDer(
  cipher: BlockCipher,
  { key, iv }: KeyAndIv,
  ciphertext: Uint8Array,
): Promise<Decryption> {
  const { blockBytes } = cipher;
  const isWhole = ciphertext.length > 0 && ciphertext.length % blockBytes === 0;
  if (!isWhole || iv.length !== blockBytes) return { ok: false, because: 'damage' };
  const padded = await decryptBlocks(cipher, key, iv, ciphertext);
  const padding = padded.at(-1) ?? 0;
  const isPadded =
    padding >= 1 && padding <= blockBytes && padded.subarray(-padding).every((n) => n === padding);
  const end = endOfDer(padded);
  const isRight = end === 'unknown' || (end < padded.length && end >= padded.length - blockBytes);
  if (!isRight) return { ok: false, because: isCutDer(padded) ? 'damage' : 'password' };
  if (!isPadded) return { ok: false, because: end === 'unknown' ? 'password' : 'damage' };
  return { ok: true, plaintext: padded.subarray(0, -padding) };
}

/** Where the SEQUENCE ends; -1 for anything else, and unknown with BER's indefinite length, which NSS writes. */
function endOfDer(bytes: Uint8Array): number | 'unknown' {
  if (bytes[0] !== derTags.sequence) return -1;
  if (bytes[1] === 0x80) return 'unknown';
  const reading = readDerElement(bytes);
  return reading.ok ? reading.element.encoded.length : -1;
}

/** Whether it begins as a key or key store does, SEQUENCE and INTEGER or SEQUENCE, and is longer than it is. */
function isCutDer(bytes: Uint8Array): boolean {
  const reading = readDerElement(bytes);
  const begins = bytes[0] === derTags.sequence && bytes[1] === 0x82;
  const inner = bytes[4] === derTags.integer || bytes[4] === derTags.sequence;
  return begins && inner && !reading.ok && reading.fault.kind === 'truncated';
}

async function decryptBlocks(
  { openssl, keyBytes }: BlockCipher,
  key: Uint8Array,
  iv: Uint8Array,
  ciphertext: Uint8Array,
): Promise<Uint8Array> {
  if (openssl === 'rc2') {
    const { decryptRc2 } = await import('./forge.ts');
    return decryptRc2(key, iv, ciphertext);
  }
  const isShort = openssl === 'des-ede3-cbc' && keyBytes < 24;
  // DES is 3DES with one key three times, 3DES with two keys repeats the first
  const whole = isShort ? Buffer.concat([key, key, key]).subarray(0, 24) : key;
  const decipher = createDecipheriv(openssl, whole, iv).setAutoPadding(false);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}
