import { decodeUtf8 } from '../bytes.ts';
import { perUserKeyLength } from '../crypto/per-user-key.ts';
import { unwrapKey } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { diagnosePerUserKey } from './per-user-key.ts';
import type { WrappedKeyContext, WrappedKeyFinding } from './wrapped-key.ts';

/**
 * Finds what `diagnoseWrappedKey` finds. What explains a wrap that doesn't open as the interface
 * says (2.2) is a third of the code, and loaded when there is one. Never rejects.
 */
export async function openWrappedKey(
  encPartnerKey: string,
  context: WrappedKeyContext,
): Promise<WrappedKeyFinding> {
  const unwrapped = unwrapKey(context.privateKey, encPartnerKey);
  if (unwrapped.ok && isPlainKey(unwrapped.message)) {
    const { key, isWellFormed, diagnoses } = diagnosePerUserKey(unwrapped.message, context);
    return { key, ok: isWellFormed, diagnoses, notes: [] };
  }
  const { diagnoseWrappedKey } = await import('./wrapped-key.ts');
  return diagnoseWrappedKey(encPartnerKey, context);
}

/** A block of another key looks padded once in 100,000 times, but never with such a text inside. */
function isPlainKey(message: Uint8Array): boolean {
  return message.length === perUserKeyLength && /^[ -~]*$/.test(decodeUtf8(message) ?? '\0');
}
