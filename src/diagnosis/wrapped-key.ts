import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnosePerUserKey } from './per-user-key.ts';
import { openCiphertext } from './wrapped-key-ciphertext.ts';
import { readWrappedText } from './wrapped-key-text.ts';

/** What is known beside the wrapped key itself. */
export interface WrappedKeyContext {
  /** The private half of the `public_key` that was sent. */
  readonly privateKey: RsaPrivateKey;
  /** Keys whose public halves were sent earlier. */
  readonly otherPrivateKeys?: readonly RsaPrivateKey[];
  readonly ptnCd?: string;
  readonly clientId?: string;
  /** When the key was made, in ms since 1970. */
  readonly now?: number;
  /** Per-user keys that other users were given. */
  readonly earlierKeys?: readonly string[];
}

export interface WrappedKeyFinding {
  /** The key that could be read, from a damaged wrap too: a secret. */
  readonly key?: string;
  /** Whether it opens as the interface says (2.2) and holds 32 characters; it may still be weak. */
  readonly ok: boolean;
  /** Every cause, outermost first; of a key that is right but weak too. */
  readonly diagnoses: readonly Diagnosis[];
  /** What is harmless and still not exact, as sentences without a full stop. */
  readonly notes: readonly string[];
}

/**
 * Opens an `enc_partner_key` by whatever way leads to the key, and names everything in it that is
 * not as the interface says (2.2, 4.1.1). Never throws, whatever the text.
 */
export function diagnoseWrappedKey(
  encPartnerKey: string,
  context: WrappedKeyContext,
): WrappedKeyFinding {
  const keys = [context.privateKey, ...(context.otherPrivateKeys ?? [])];
  const sizes = [...new Set(keys.map(({ modulusBytes }) => modulusBytes))];
  const { bytes, plainKey, diagnoses: outer, notes } = readWrappedText(encPartnerKey, sizes);
  if (plainKey !== undefined) {
    const { diagnoses } = diagnosePerUserKey(Buffer.from(plainKey), context);
    return { key: plainKey, ok: false, diagnoses: [...outer, ...diagnoses], notes };
  }
  if (bytes === undefined) return { ok: false, diagnoses: outer, notes };
  const { message, diagnoses: around } = openCiphertext(bytes, context);
  const wrap = [...outer, ...around];
  if (message === undefined) return { ok: false, diagnoses: wrap, notes };
  const { key, isWellFormed, diagnoses: inside } = diagnosePerUserKey(message, context);
  return {
    ...(key !== undefined && { key }),
    ok: wrap.length === 0 && isWellFormed,
    diagnoses: [...wrap, ...inside],
    notes,
  };
}
