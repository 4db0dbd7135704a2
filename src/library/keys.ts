import { generateKeyPair as generate } from '../client/key-pair.ts';
import { fingerprintOfKey } from '../crypto/fingerprint.ts';
import { countCharacters, generatePerUserKey, perUserKeyLength } from '../crypto/per-user-key.ts';
import { readPrivateKey } from '../crypto/private-key.ts';
import { readPublicKey } from '../crypto/public-key.ts';
import { exportPrivateKey, exportPublicKey } from '../crypto/rsa-key.ts';
import { wrapKey as wrap } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { diagnoseWrappedKey } from '../diagnosis/wrapped-key.ts';
import { AuthcliError, type Diagnosis } from '../errors.ts';
import { listOf, required } from './arguments.ts';
import { world } from './world.ts';

/** What to wrap, and for whom. */
export interface WrapKeyOptions {
  /** The per-user key, 32 characters. */
  readonly key: string;
  /** The `public_key` of the request, in any readable form: as the interface sends it, PEM, JWK, … */
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
 * @throws AuthcliError `usage` for a key that has not 32 characters, and for a public key that
 *   can't be read or used
 */
export function wrapKey({ key, publicKey }: WrapKeyOptions): string {
  const length = countCharacters(required('key', key, 'the per-user key'));
  if (length !== perUserKeyLength) {
    throw new AuthcliError(
      'usage',
      `The per-user key has ${length} characters; it must have ${perUserKeyLength} (2.2).`,
      { hint: 'generateUserKey() makes one.' },
    );
  }
  const reading = readPublicKey(required('publicKey', publicKey, 'the public_key to wrap with'));
  return wrap(reading.key, key, world.randomBytes);
}

/** What to open, and with what. */
export interface UnwrapKeyOptions {
  readonly encPartnerKey: string;
  /**
   * The private key of the `public_key` that was sent, PKCS #1 or PKCS #8 as PEM or Base64. Of
   * several the first is that one; the others are tried as earlier keys.
   */
  readonly privateKey: string | readonly string[];
  /** Helps to recognise a key that is made from them. */
  readonly ptnCd?: string;
  readonly clientId?: string;
}

/** The key was wrapped as the interface says; `diagnoses` tells what is weak about it. */
export interface UnwrapSuccess {
  readonly ok: true;
  readonly key: string;
  readonly keyFingerprint: string;
  readonly diagnoses: readonly Diagnosis[];
  readonly notes: readonly string[];
}

/** It was not; everything that is wrong, the outermost first. */
export interface UnwrapFailure {
  readonly ok: false;
  /** The first of `diagnoses`. */
  readonly diagnosis: Diagnosis;
  readonly diagnoses: readonly Diagnosis[];
  /** The key, where it could be read all the same. */
  readonly key?: string;
  readonly notes: readonly string[];
}

export type UnwrapResult = UnwrapSuccess | UnwrapFailure;

/**
 * Opens an `enc_partner_key`, and names everything in it that is not as the interface says: the
 * padding, the encoding, the key that was used instead.
 *
 * The result tells more than a server may tell its callers (RFC 8017 7.2.2, note): use it in tests
 * and tools, never to answer requests.
 *
 * @throws AuthcliError `usage` for a private key that can't be read
 */
export function unwrapKey(options: UnwrapKeyOptions): UnwrapResult {
  const { ptnCd, clientId } = options;
  const [first, ...others] = listOf(options.privateKey).map((text) => readPrivateKey(text).key);
  if (first === undefined) {
    throw new AuthcliError(
      'usage',
      'The option privateKey is the key to open with: there is none.',
    );
  }
  const wrapped = required('encPartnerKey', options.encPartnerKey, 'the wrapped key');
  const { ok, key, diagnoses, notes } = diagnoseWrappedKey(wrapped, {
    privateKey: first,
    otherPrivateKeys: others,
    ptnCd,
    clientId,
    now: world.now(),
  });
  if (ok && key !== undefined) {
    return { ok, key, keyFingerprint: fingerprintOfKey(key), diagnoses, notes };
  }
  const [diagnosis] = diagnoses;
  if (diagnosis === undefined) throw new Error('a wrapped key that does not open has a diagnosis');
  return { ok: false, diagnosis, diagnoses, notes, ...(key !== undefined && { key }) };
}

/** An RSA key pair as the service has one. */
export interface KeyPair {
  /** Base64 of the SubjectPublicKeyInfo: what goes into `public_key`. */
  readonly publicKey: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  readonly fingerprint: string;
}

/** Makes an RSA key pair; 2048 bits take about 100 ms, on the thread pool. */
export async function generateKeyPair(bits: 2048 | 3072 | 4096 = 2048): Promise<KeyPair> {
  const pair = await generate(bits);
  const { publicKey } = pair;
  return {
    publicKey: exportPublicKey(publicKey),
    privateKey: exportPrivateKey(pair),
    fingerprint: publicKey.fingerprint,
  };
}

/** Makes a per-user key: 32 random letters and digits (2.2). */
export function generateUserKey(): string {
  return generatePerUserKey(world.randomBytes);
}
