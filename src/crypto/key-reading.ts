import { createPrivateKey } from 'node:crypto';
import { encodeHex } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { type DerElement, derTags, readDerChildren, readDerElement } from './der.ts';
import {
  describeAlgorithm,
  encryptedKey,
  type KeyFormat,
  type KeyRefusal,
  type KeyStructure,
  type Locked,
  readDerKey,
  type UnreadKey,
} from './key-structure.ts';
import { type KeyEncoding, type KeyRecognition, recogniseKey } from './key-text.ts';
import {
  type RsaPrivateKey,
  type RsaPublicKey,
  toBigInt,
  toRsaPrivateKey,
  toRsaPublicKey,
} from './rsa-key.ts';

export interface PrivateKeyReading {
  readonly key: RsaPrivateKey;
  /** What had to be converted or overlooked; empty for PKCS #1 and PKCS #8 in PEM or Base64. */
  readonly notes: readonly string[];
}

interface ReadOptions {
  readonly password?: string | undefined;
  /** The file as a word of a shell, for the line that converts it. */
  readonly file?: string | undefined;
}

/**
 * Reads an RSA private key: PKCS #1 or PKCS #8, as PEM or as Base64 of the DER, encrypted or not; other readable
 * forms with a note. Throws `usage` with the reason for everything else, and never quotes any of the text;
 * `data.reason` is `encrypted` where a password is needed, `wrong-password` for another one and
 * `unsupported-encryption` for a cipher that OpenSSL has no more and for a derivation that takes too long.
 */
export function readPrivateKey(
  input: string | Uint8Array,
  { password, file }: ReadOptions = {},
): PrivateKeyReading {
  const { key: found, notes, ...about } = recogniseKey(input);
  const opened = found?.locked === undefined ? undefined : unlock(found.locked, password);
  const key = opened && !('format' in opened) ? undefined : (opened ?? found);
  const { kind, refusal: fault } = opened ?? about;
  const refusal = refusePrivateKey({ key, kind, notes, refusal: fault });
  if (refusal !== undefined || key?.keyObject === undefined)
    throw unusable('private', refusal, file);
  return { key: toRsaPrivateKey(key.keyObject), notes };
}

/** Decrypts a private key, or says why not. */
export function unlock(locked: Locked, password: string | undefined): KeyStructure | UnreadKey {
  if (password === undefined) return { refusal: encryptedKey };
  const reading = typeof locked === 'string' ? undefined : readDerElement(locked);
  // Of an EncryptedPrivateKeyInfo (RFC 5958 3).
  const identifier = reading?.ok ? childrenOf(reading.element)[0] : undefined;
  const refusal = reading && refuseDerivation(identifier);
  if (refusal !== undefined) return { refusal };
  const content =
    typeof locked === 'string'
      ? ({ key: locked, format: 'pem' } as const)
      : ({ key: Buffer.from(locked), format: 'der', type: 'pkcs8' } as const);
  try {
    const key = createPrivateKey({ ...content, passphrase: password });
    return readDerKey(key.export({ type: 'pkcs8', format: 'der' }));
  } catch (error) {
    const isUnknown = (error as NodeJS.ErrnoException).code === 'ERR_OSSL_EVP_UNSUPPORTED';
    return { refusal: isUnknown ? oldEncryption : wrongPassword };
  }
}

const wrongPassword: KeyRefusal = {
  code: 'wrong-password',
  reason: 'the password does not open the private key',
  fix: () =>
    'Check the password, also its case and a line end. If it is right, the file is damaged.',
};

const oldEncryption: KeyRefusal = {
  code: 'unsupported-encryption',
  reason: 'it is encrypted with a cipher that OpenSSL has only in its legacy provider',
  fix: (file) =>
    `Convert it: \`openssl pkey -provider legacy -provider default -in ${file} -out key.pem\`.`,
};

export interface PublicKeyReading {
  readonly key: RsaPublicKey;
  readonly encoding: KeyEncoding;
  /** What had to be converted or overlooked; empty for what the interface sends (2.2) and for PEM of the same. */
  readonly notes: readonly string[];
}

/**
 * Reads a public key that a per-user key can be wrapped with: what the interface sends (2.2,
 * Base64 of an RSA SubjectPublicKeyInfo) and PEM of the same, white space around; other readable
 * forms with a note. Throws `usage` with the reason for everything else.
 */
export function readPublicKey(text: string | Uint8Array): PublicKeyReading {
  const recognition = recogniseKey(text);
  const refusal = refusePublicKey(recognition);
  const { key, encoding } = recognition;
  if (refusal !== undefined || key?.keyObject === undefined || encoding === undefined) {
    throw unusable('public', refusal);
  }
  const notes = [...recognition.notes, ...noteConversion(recognition)];
  return { key: toRsaPublicKey(key.keyObject), encoding, notes };
}

/** The same; undefined for text that {@link readPublicKey} refuses. */
export function publicKeyIn(text: string): PublicKeyReading | undefined {
  try {
    return readPublicKey(text);
  } catch (error) {
    if (error instanceof AuthcliError) return undefined;
    throw error;
  }
}

function refusePrivateKey({ key, kind, refusal }: KeyRecognition): KeyRefusal | undefined {
  if (kind === 'key-store') return refusal;
  if (kind !== undefined && kind !== 'private-key') {
    const what = `a ${kind.replace('-', ' ')}`;
    return { code: 'not-a-private-key', reason: `it is ${what}: the private half belongs here` };
  }
  if (key?.algorithm === undefined || key.algorithm === 'rsa') return refusal;
  const reason = `it is ${describeAlgorithm(key.algorithm, key.keyObject)}: an RSA key belongs here`;
  return { code: 'algorithm', reason };
}

/** Why a recognised key can't wrap a per-user key; undefined if it can. */
export function refusePublicKey({ key, kind, refusal }: KeyRecognition): KeyRefusal | undefined {
  if (kind === 'private-key') {
    return {
      code: 'private-key',
      reason: `it is a private key${refusal?.code === 'truncated' ? ', and a truncated one' : ''}: the public half belongs here, and the private one must not be passed on`,
    };
  }
  if (key?.algorithm === undefined || key.algorithm === 'rsa') return refusal;
  const name = describeAlgorithm(key.algorithm, key.keyObject);
  const why = key.algorithm === 'rsa-pss' ? 'which is bound to signatures' : "which can't do RSA";
  return {
    code: 'algorithm',
    reason: `it is ${name}, ${why}: the interface wraps with RSA and PKCS #1 v1.5 padding`,
  };
}

/** What was converted to get a SubjectPublicKeyInfo, and who would not have done that. */
export function noteConversion({ key, encoding }: KeyRecognition): readonly string[] {
  const conversion = key && conversions[key.format];
  if (conversion !== undefined) return [conversion];
  return encoding === 'der' ? ['it is a DER file: the interface sends Base64 of it'] : [];
}

const conversions: Readonly<Partial<Record<KeyFormat, string>>> = {
  'PKCS #1':
    'it is a bare RSAPublicKey (PKCS #1, "BEGIN RSA PUBLIC KEY"): OpenSSL reads it, Java\'s X509EncodedKeySpec does not; the interface sends SubjectPublicKeyInfo ("BEGIN PUBLIC KEY")',
  'X.509 certificate':
    'it is a whole certificate: the interface sends only the SubjectPublicKeyInfo inside it, as openssl x509 -pubkey -noout prints it',
  'PKCS #10 certificate request':
    'it is a certificate request: the interface sends only the SubjectPublicKeyInfo inside it, as openssl req -pubkey -noout prints it',
  JWK: 'it is a JWK: the interface sends Base64 of SubjectPublicKeyInfo',
};

const hints = {
  private:
    'It should be an RSA key: PKCS #8 or PKCS #1 as PEM or as Base64 of the DER, encrypted or not, or JWK; `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048` makes one.',
  public:
    'It should be Base64 of an X.509 SubjectPublicKeyInfo RSA key, as `openssl pkey -in key.pem -pubout -outform DER | base64` prints it, or the PEM of the same ("-----BEGIN PUBLIC KEY-----").',
};

function unusable(
  half: 'private' | 'public',
  refusal: KeyRefusal | undefined,
  file = 'FILE',
): AuthcliError {
  const { code: reason, reason: why, fix } = refusal ?? notAKey;
  const message = `The ${half} key can't be used: ${why}.`;
  return new AuthcliError('usage', message, {
    hint: [fix?.(file), fix && half === 'private' ? undefined : hints[half]]
      .filter((sentence) => sentence !== undefined)
      .join(' '),
    data: { reason },
  });
}

const notAKey: KeyRefusal = {
  code: 'not-a-key',
  reason: 'it is not a key in any form known here',
};

/** 1.2.840.113549.1.5.13 and 1.3.6.1.4.1.11591.4.11, as they are encoded. */
const pbes2 = '2a864886f70d01050d';
const scrypt = '2b06010401da47040b';

/** Several times what anybody recommends; a few seconds at most. */
const mostIterations = 5_000_000n;
/** N * r * p (RFC 7914 2); OpenSSL limits the memory for them. */
const mostScryptWork = 1n << 22n;

/**
 * Why no key is derived from a password for an encrypted PKCS #8, which chooses how long that takes; undefined where
 * one can be.
 * @param identifier its AlgorithmIdentifier (RFC 5958 3)
 */
export function refuseDerivation(identifier: DerElement | undefined): KeyRefusal | undefined {
  const [scheme, parameters] = childrenOf(identifier);
  // PBES2 (RFC 8018 A.4) contains its derivation; PBES1 and PKCS #12's schemes (A.3) are one
  const isInside = nameOf(scheme) === pbes2;
  const [name, own] = isInside ? childrenOf(childrenOf(parameters)[0]) : [scheme, parameters];
  const integers = childrenOf(own).filter(({ tag }) => tag === derTags.integer);
  const [first = 0n, r = 0n, p = 0n] = integers.map(({ contents }) => toBigInt(contents));
  if (nameOf(name) !== scrypt) {
    if (first > mostIterations) return tooMuch(`more than ${mostIterations} iterations`);
    return first === 0n ? impossible : undefined;
  }
  if (first * r * p > mostScryptWork)
    return tooMuch(`scrypt whose N * r * p is over ${mostScryptWork}`);
  const isPower = first > 1n && (first & (first - 1n)) === 0n;
  return isPower && r > 0n && p > 0n ? undefined : impossible;
}

/** None for what can't be read, so that OpenSSL, which reads BER too, never derives with numbers not seen here. */
function childrenOf(element: DerElement | undefined): readonly DerElement[] {
  return (element && readDerChildren(element)) ?? [];
}

function nameOf(element: DerElement | undefined): string {
  return element?.tag === derTags.objectIdentifier ? encodeHex(element.contents) : '';
}

const impossible: KeyRefusal = {
  code: 'malformed',
  reason: 'it is damaged: no key can be derived from a password with the parameters in it',
};

function tooMuch(what: string): KeyRefusal {
  return {
    code: 'unsupported-encryption',
    reason: `its password is hashed with ${what}, which takes too long here`,
    fix: (file) =>
      `If you trust the file, encrypt it again: \`openssl pkcs8 -topk8 -iter 600000 -in ${file} -out key.pem\`.`,
  };
}
