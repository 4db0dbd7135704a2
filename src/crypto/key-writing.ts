import { encodeBase64 } from '../bytes.ts';
import type { OpenedPrivateKey } from './key-reading.ts';
import { writePkcs12 } from './pkcs12-writing.ts';
import { exportPrivateKey, type RsaPrivateKey } from './rsa-key.ts';

/** PKCS #8 as PEM or DER, JWK (RFC 7517), PKCS #12 (RFC 7292). */
export const privateKeyFormats = ['pem', 'der', 'jwk', 'p12'] as const;

export type PrivateKeyFormat = (typeof privateKeyFormats)[number];

/** PEM with the chain behind the key; encrypted with AES-256 where a password is given. */
export function writePem(
  { key, certificates }: OpenedPrivateKey,
  password: string | undefined,
): string {
  const privateKey =
    password === undefined
      ? exportPrivateKey(key)
      : pemBlock('ENCRYPTED PRIVATE KEY', encryptKey(key, password));
  return privateKey + certificates.map((der) => pemBlock('CERTIFICATE', der)).join('');
}

/** PKCS #8; encrypted with AES-256 where a password is given. */
export function writeDerKey(key: RsaPrivateKey, password: string | undefined): Uint8Array {
  if (password !== undefined) return encryptKey(key, password);
  return key.keyObject.export({ type: 'pkcs8', format: 'der' });
}

/** With a line end. */
export function writeJwk(key: RsaPrivateKey): string {
  return `${JSON.stringify(key.keyObject.export({ format: 'jwk' }), null, 2)}\n`;
}

/** A key store with the key and its chain; `salt` is 16 random bytes. */
export function writeKeyStore(
  { key, certificates, alias }: OpenedPrivateKey,
  password: string,
  salt: Uint8Array,
): Uint8Array {
  const encryptedKey = encryptKey(key, password);
  const localKeyId = key.publicKey.spki.subarray(-20);
  return writePkcs12({ encryptedKey, certificates, alias, localKeyId, password, salt });
}

/** EncryptedPrivateKeyInfo (RFC 5958 3) in DER: PBES2 with AES-256-CBC. */
function encryptKey({ keyObject }: RsaPrivateKey, passphrase: string): Uint8Array {
  return keyObject.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase });
}

/** RFC 7468 2. */
function pemBlock(label: string, der: Uint8Array): string {
  const lines = encodeBase64(der).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
