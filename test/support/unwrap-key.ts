import { decodeBase64Strict } from '../../src/bytes.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { decodeEmePkcs1V15, rsadp } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';

/** RSAES-PKCS1-V1_5-DECRYPT (RFC 8017 7.2.2) of strict Base64; undefined where one of its steps fails. */
export function unwrapKey(privateKey: RsaPrivateKey, wrapped: string): Uint8Array | undefined {
  const ciphertext = decodeBase64Strict(wrapped);
  const block = ciphertext && rsadp(privateKey, ciphertext);
  return block && decodeEmePkcs1V15(block);
}
