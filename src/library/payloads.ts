import { decodeUtf8, encodeUtf8 } from '../bytes.ts';
import { formatCipher } from '../crypto/cipher.ts';
import { decryptPayload as decrypt, encryptPayload as encrypt } from '../crypto/payload-ciphers.ts';
import { identifyCipher as identify } from '../diagnosis/cipher-identification.ts';
import { diagnoseNoCipher, diagnosePayload, examinePlaintext } from '../diagnosis/payload.ts';
import type { Diagnosis } from '../errors.ts';
import { type PayloadField, payloadKinds } from '../protocol/payload-fields.ts';
import { checkOptions, environment, readCipher } from './options.ts';

export interface EncryptPayloadOptions {
  /** Text counts as UTF-8. */
  readonly plaintext: string | Uint8Array;
  readonly key: string;
  /** In its notation or by a preset's name; AES-256-CBC with the IV in front, Base64, by default. */
  readonly cipher?: string;
}

/**
 * Encrypts a passcode or user information with a per-user key, as the service does.
 *
 * @example
 * ```ts
 * import { decryptPayload, encryptPayload, generateUserKey } from 'authcli';
 *
 * const key = generateUserKey();
 * const partnerSp = encryptPayload({ plaintext: '482913', key, cipher: 'aes-256-gcm' });
 * const result = decryptPayload({ payload: partnerSp, key });
 * console.log(result.ok, result.fittingCipher);
 * // false aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=suffix&ivlen=12
 * ```
 *
 * @returns the payload's text
 * @throws AuthcliError `usage` for an unknown cipher, or a key or plaintext that it can't encrypt
 */
export function encryptPayload(options: EncryptPayloadOptions): string {
  checkOptions(options, 'key');
  const { plaintext, key, cipher } = options;
  const bytes = typeof plaintext === 'string' ? encodeUtf8(plaintext) : plaintext;
  return encrypt(bytes, key, readCipher(cipher), environment.randomBytes);
}

export interface DecryptPayloadOptions {
  readonly payload: string;
  readonly key: string;
  readonly cipher?: string;
  /** Its field, to recognise the plaintext. */
  readonly as?: PayloadField;
}

export type DecryptResult = {
  /** The cipher that fits better, if the given one fails or decrypts to noise or to the end of a text. */
  readonly fittingCipher?: string;
} /** The plaintext is null if the bytes are not UTF-8: is the cipher right? */ & (
  | { readonly ok: true; readonly plaintext: string | null; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly diagnosis: Diagnosis }
);

/**
 * Decrypts a `partner_sp`, `ptn_sp` or `ubifill`; if that fails, looks for a cipher that fits. For
 * tests and tools only: the result is a padding oracle.
 *
 * @throws AuthcliError `usage` for an unknown cipher
 */
export function decryptPayload(options: DecryptPayloadOptions): DecryptResult {
  checkOptions(options, 'payload', 'key');
  const { payload, key, as } = options;
  const cipher = readCipher(options.cipher);
  const sealed = { payload, key, cipher, field: as, kind: as && payloadKinds[as] };
  const result = decrypt(payload, key, cipher);
  if (!result.ok) {
    const { diagnosis, fittingCipher } = diagnosePayload(sealed);
    return { ok: false, diagnosis, fittingCipher };
  }
  const bytes = new Uint8Array(result.plaintext);
  const fittingCipher = examinePlaintext(sealed, bytes)?.fittingCipher;
  return { ok: true, plaintext: decodeUtf8(bytes) ?? null, bytes, fittingCipher };
}

export interface IdentifyCipherOptions {
  /** Several of one user narrow the choice. */
  readonly payload: string | readonly string[];
  readonly key: string;
  /** The plaintext of one of them: makes the result certain, and solves a fixed IV. */
  readonly knownPlaintext?: string | Uint8Array;
  readonly as?: PayloadField;
}

export interface CipherFinding {
  /** In the canonical notation. */
  readonly cipher: string;
  readonly confidence: 'certain' | 'likely' | 'possible';
  /** Of the first payload; null if the bytes are not UTF-8. */
  readonly plaintext: string | null;
}

/** The best cipher, and all that fit, the best first; or why none does. */
export type IdentifyResult = { readonly candidates: readonly CipherFinding[] } & (
  | ({ readonly ok: true } & CipherFinding)
  | { readonly ok: false; readonly diagnosis: Diagnosis }
);

/**
 * Finds the cipher of payloads: algorithm, reading of the key, IV, padding, encoding and tag.
 *
 * @example
 * ```ts
 * import { encryptPayload, generateUserKey, identifyCipher } from 'authcli';
 *
 * const key = generateUserKey();
 * const cipher = 'aes-256-cbc?key=sha256&iv=zero';
 * const payload = encryptPayload({ plaintext: '{"email":"alice@example.com"}', key, cipher });
 * const found = identifyCipher({ payload, key });
 * if (found.ok) console.log(found.confidence, found.cipher);
 * ```
 *
 * @throws AuthcliError `usage` if payload or key is missing
 */
export function identifyCipher(options: IdentifyCipherOptions): IdentifyResult {
  checkOptions(options, 'payload', 'key');
  const { key, knownPlaintext, as } = options;
  const payloads = [options.payload].flat();
  const kind = as && payloadKinds[as];
  const candidates = identify(payloads, key, { knownPlaintext, kind }).map((candidate) => {
    const { cipher, confidence, plaintext } = candidate;
    return { cipher, confidence, plaintext: decodeUtf8(plaintext) ?? null };
  });
  const [best] = candidates;
  if (best !== undefined) return { ok: true, ...best, candidates };
  const [payload = ''] = payloads;
  const sealed = { payload, key, cipher: readCipher(undefined), field: as, kind };
  return { ok: false, diagnosis: diagnoseNoCipher(sealed), candidates };
}

/**
 * The canonical form of a cipher's notation or preset, every part written out.
 * @throws AuthcliError `usage`, naming the part that can't be read
 */
export function canonicalCipher(notation: string): string {
  checkOptions({ notation }, 'notation');
  return formatCipher(readCipher(notation));
}
