import type { DerElement } from './der.ts';
import { childrenOf, KeyFault, oidOf } from './der-fields.ts';

/** A cipher in CBC mode: its name in OpenSSL, or RC2, which OpenSSL 3 has only in its legacy provider. */
export interface BlockCipher {
  readonly openssl: string | 'rc2';
  readonly name: string;
  readonly keyBytes: number;
  readonly blockBytes: 8 | 16;
}

export const des = {
  openssl: 'des-ede3-cbc',
  name: 'DES-CBC',
  keyBytes: 8,
  blockBytes: 8,
} as const;
export const des3 = {
  openssl: 'des-ede3-cbc',
  name: '3DES-CBC',
  keyBytes: 24,
  blockBytes: 8,
} as const;
export const des2 = { ...des3, name: '3DES-CBC with two keys', keyBytes: 16 } as const;
export const rc2 = (bits: number): BlockCipher => ({
  openssl: 'rc2',
  name: `RC2-${bits}-CBC`,
  keyBytes: bits / 8,
  blockBytes: 8,
});
const wide = (family: string, bits: number): BlockCipher => ({
  openssl: `${family}-${bits}-cbc`,
  name: `${family.toUpperCase()}-${bits}-CBC`,
  keyBytes: bits / 8,
  blockBytes: 16,
});

/** RFC 8018 B.2, NIST's AES, RFC 5794 (ARIA), RFC 3657 (Camellia). */
export const ciphers: Readonly<Record<string, BlockCipher>> = {
  '2.16.840.1.101.3.4.1.2': wide('aes', 128),
  '2.16.840.1.101.3.4.1.22': wide('aes', 192),
  '2.16.840.1.101.3.4.1.42': wide('aes', 256),
  '1.2.410.200046.1.1.2': wide('aria', 128),
  '1.2.410.200046.1.1.7': wide('aria', 192),
  '1.2.410.200046.1.1.12': wide('aria', 256),
  '1.2.392.200011.61.1.1.1.2': wide('camellia', 128),
  '1.2.392.200011.61.1.1.1.3': wide('camellia', 192),
  '1.2.392.200011.61.1.1.1.4': wide('camellia', 256),
  '1.2.840.113549.3.7': des3,
  '1.3.14.3.2.7': des,
};

/** Ciphers of `DEK-Info` (RFC 1421 4.6.1.3, and OpenSSL's names). */
const dekCiphers: Readonly<Record<string, BlockCipher>> = {
  ...Object.fromEntries(Object.values(ciphers).map((cipher) => [cipher.name, cipher])),
  'DES-EDE3-CBC': des3,
  'RC2-CBC': rc2(128),
  'RC2-40-CBC': rc2(40),
  'RC2-64-CBC': rc2(64),
};

/** RFC 8018 B.1.2: the pseudo-random functions of PBKDF2, by the last arc of their identifier. */
const hmacs: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
  '1.2.840.113549.2.12': 'sha512-224',
  '1.2.840.113549.2.13': 'sha512-256',
};

/** What can't be decrypted, but is called by its name. */
const unsupportedNames: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.12.1.1': 'PKCS #12 with RC4-128',
  '1.2.840.113549.1.12.1.2': 'PKCS #12 with RC4-40',
  '1.2.840.113549.1.5.1': 'PBES1 with MD2 and DES-CBC',
  '1.2.840.113549.1.5.4': 'PBES1 with MD2 and RC2-CBC',
  '1.2.840.113549.3.2': 'RC2-CBC in PBES2',
  '2.16.840.1.101.3.4.1.6': 'AES-128-GCM',
  '2.16.840.1.101.3.4.1.26': 'AES-192-GCM',
  '2.16.840.1.101.3.4.1.46': 'AES-256-GCM',
  '1.2.840.113549.1.9.16.3.18': 'ChaCha20-Poly1305',
  '1.3.6.1.4.1.11591.4.11': 'scrypt',
};

/** The digest of an HMAC's AlgorithmIdentifier; SHA-1 where it is absent (RFC 8018 A.2). */
export function digestOfHmac(identifier: DerElement | undefined): string {
  if (identifier === undefined) return 'sha1';
  const oid = oidOf(childrenOf(identifier)[0]);
  const digest = hmacs[oid];
  if (digest === undefined) throw unsupported(oid);
  return digest;
}

/** "SHA-256" of `sha256`. */
export function digestName(digest: string): string {
  return digest.toUpperCase().replace('SHA', 'SHA-').replace('-512-', '-512/');
}

/** The cipher that a `DEK-Info` header names; undefined for one that is not supported. */
export function dekCipher(name: string): BlockCipher | undefined {
  return dekCiphers[name.toUpperCase()];
}

/** The fault of an algorithm that is not in the tables. */
export function unsupported(oid: string): KeyFault {
  const name = unsupportedNames[oid] ?? `the algorithm ${oid}`;
  return new KeyFault({
    code: 'unsupported-encryption',
    reason: `it is encrypted with ${name}, which is not supported`,
    fix: (file) =>
      `Convert it with \`openssl pkcs12 -legacy -in ${file} -nodes -out key.pem\`, or for PEM and PKCS #8 with \`openssl pkey -provider legacy -provider default -in ${file} -out key.pem\`.`,
  });
}
