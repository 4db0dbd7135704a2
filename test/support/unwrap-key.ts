import { decodeBase64Strict } from '../../src/bytes.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { decodeEmePkcs1V15, type EmeResult, rsadp } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';

/** RSAES-PKCS1-V1_5-DECRYPT (RFC 8017 7.2.2) of strict Base64; undefined where that ends before its step 3. */
export function unwrapKey(privateKey: RsaPrivateKey, wrapped: string): EmeResult | undefined {
  const ciphertext = decodeBase64Strict(wrapped);
  const block = ciphertext && rsadp(privateKey, ciphertext);
  return block && decodeEmePkcs1V15(block);
}
