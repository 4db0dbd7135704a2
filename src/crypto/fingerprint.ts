import { hash } from 'node:crypto';
import { encodeUtf8 } from '../bytes.ts';

/** `sha256:` and the first 12 hexadecimal digits of the bytes' SHA-256: names a key without showing it. */
export function fingerprintOfBytes(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex').slice(0, 12)}`;
}

/** The fingerprint of a per-user key: of its characters in UTF-8. */
export function fingerprintOfKey(perUserKey: string): string {
  return fingerprintOfBytes(encodeUtf8(perUserKey));
}
