import { readPrivateKey, readPublicKey } from '../crypto/key-reading.ts';
import { countCharacters, generatePerUserKey, perUserKeyLength } from '../crypto/per-user-key.ts';
import { exportPrivateKey, exportPublicKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import { wrapKey as wrap } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { fingerprintOfKey } from '../crypto/secret.ts';
import { diagnoseWrappedKey } from '../diagnosis/wrapped-key.ts';
import { AuthcliError, type Diagnosis } from '../errors.ts';
import { checkOptions, environment } from './options.ts';

export interface WrapKeyOptions {
  /** The per-user key, 32 characters. */
  readonly key: string;
  /** The `public_key` of the request, PEM, JWK, … */
  readonly publicKey: string;
}

/**
 * Wraps a per-user key as an application must (2.2): RSAES-PKCS1-v1_5, in Base64.
 *
 * @example
 * ```ts
 * import { generateKeyPair, generateUserKey, unwrapKey, wrapKey } from 'authcli';
 *
 * const { publicKey, privateKey } = await generateKeyPair();
 * const key = generateUserKey();
 * const encPartnerKey = wrapKey({ key, publicKey });
 * console.log(unwrapKey({ encPartnerKey, privateKey }).key === key); // true
 * ```
 *
 * @returns `enc_partner_key`
 * @throws AuthcliError `usage` for a key without 32 characters, or an unusable public key
 */
export function wrapKey(options: WrapKeyOptions): string {
  checkOptions(options, 'key', 'publicKey');
  const { key, publicKey } = options;
  const length = countCharacters(key);
  if (length !== perUserKeyLength) {
    const message = `The per-user key has ${length} characters; it must have ${perUserKeyLength} (2.2).`;
    throw new AuthcliError('usage', message, { hint: 'generateUserKey() makes one.' });
  }
  return wrap(readPublicKey(publicKey).key, key, environment.randomBytes);
}

export interface UnwrapKeyOptions {
  readonly encPartnerKey: string;
  /** PKCS #1 or PKCS #8, PEM or Base64; after the first, earlier keys to try. */
  readonly privateKey: string | readonly string[];
  /** To recognise a key that is derived from them. */
  readonly ptnCd?: string;
  readonly clientId?: string;
}

export type UnwrapResult = {
  /** What is wrong, the outermost first; of a key that was wrapped rightly, its weaknesses. */
  readonly diagnoses: readonly Diagnosis[];
  readonly notes: readonly string[];
} & (
  | { readonly ok: true; readonly key: string; readonly keyFingerprint: string }
  /** The first of `diagnoses`, and the key, if it could be read all the same. */
  | { readonly ok: false; readonly diagnosis: Diagnosis; readonly key?: string }
);

/**
 * Decrypts an `enc_partner_key`, and diagnoses all that is not as the interface says. For tests and
 * tools only: the result is a padding oracle (RFC 8017 7.2.2, note).
 *
 * @throws AuthcliError `usage` for a private key that can't be read
 */
export function unwrapKey(options: UnwrapKeyOptions): UnwrapResult {
  checkOptions(options, 'encPartnerKey', 'privateKey');
  const { encPartnerKey, ptnCd, clientId } = options;
  const privateKeys = [options.privateKey].flat().map((text) => readPrivateKey(text).key);
  const [privateKey, ...otherPrivateKeys] = privateKeys as [RsaPrivateKey];
  const context = { privateKey, otherPrivateKeys, ptnCd, clientId, now: environment.now() };
  const { ok, key, diagnoses, notes } = diagnoseWrappedKey(encPartnerKey, context);
  if (ok && key !== undefined)
    return { ok, key, keyFingerprint: fingerprintOfKey(key), diagnoses, notes };
  const [diagnosis] = diagnoses as readonly [Diagnosis];
  return { ok: false, key, diagnosis, diagnoses, notes };
}

export interface KeyPair {
  /** Base64 of the SubjectPublicKeyInfo: what goes into `public_key`. */
  readonly publicKey: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  readonly fingerprint: string;
}

/** Generates an RSA key pair of the service. */
export async function generateKeyPair(bits: 2048 | 3072 | 4096 = 2048): Promise<KeyPair> {
  if (![2048, 3072, 4096].includes(bits))
    throw new AuthcliError('usage', 'A key pair has 2048, 3072 or 4096 bits.');
  const pair = await environment.generateKeyPair(bits);
  const { fingerprint } = pair.publicKey;
  const publicKey = exportPublicKey(pair.publicKey);
  return { publicKey, privateKey: exportPrivateKey(pair), fingerprint };
}

/** Generates a per-user key: 32 random letters and digits (2.2). */
export function generateUserKey(): string {
  return generatePerUserKey(environment.randomBytes);
}
