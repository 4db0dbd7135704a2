import { perUserKeyLength } from '../crypto/per-user-key.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { unwrapKey } from '../crypto/rsaes-pkcs1-v1_5.ts';

/**
 * The per-user key in an `enc_partner_key` that is exactly as section 2.2 has it and holds 32
 * characters of printable ASCII; undefined for every other, which may still be right.
 */
export function openPlainKey(wrapped: string, pair: RsaPrivateKey): string | undefined {
  const opened = unwrapKey(pair, wrapped);
  if (!opened.ok || opened.message.length !== perUserKeyLength) return undefined;
  const { message } = opened;
  for (const octet of message) if (octet < 0x20 || octet > 0x7e) return undefined;
  return Buffer.from(message.buffer, message.byteOffset, message.length).toString('latin1');
}
