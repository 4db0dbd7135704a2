import { decodeBase64Strict } from '../bytes.ts';
import { readPublicKey } from '../crypto/public-key.ts';
import type { RsaPublicKey } from '../crypto/rsa-key.ts';
import { AuthcliError } from '../errors.ts';

/** A service sends the same few public keys again and again, and parsing one costs more than wrapping. */
const kept = new Map<string, RsaPublicKey>();
const keptAtMost = 64;

/**
 * Reads `public_key` strictly as section 2.2 has it: Base64 (RFC 4648 section 4, no white space) of
 * an X.509 SubjectPublicKeyInfo with an RSA key that can wrap 32 characters. Undefined for any
 * other text, also for keys in other forms that {@link readPublicKey} would convert.
 */
export function readPublicKeyField(text: string): RsaPublicKey | undefined {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const key = decodeBase64Strict(text) === undefined ? undefined : readStrictly(text);
  if (key === undefined) return undefined;
  const [oldest] = kept.keys();
  if (kept.size >= keptAtMost && oldest !== undefined) kept.delete(oldest);
  kept.set(text, key);
  return key;
}

function readStrictly(text: string): RsaPublicKey | undefined {
  try {
    const { key, encoding, notes } = readPublicKey(text);
    return encoding === 'base64' && notes.length === 0 ? key : undefined;
  } catch (error) {
    if (error instanceof AuthcliError) return undefined;
    throw error;
  }
}
