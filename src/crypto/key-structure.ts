import type { KeyAlgorithm } from './key-algorithms.ts';
import type { RsaNumbers } from './rsa-key.ts';

/** What a text or file holds. */
export type KeyKind = 'public-key' | 'private-key' | 'certificate' | 'certificate-request';

/** The structure that the key stands in, by the name people know it by. */
export type KeyFormat =
  | 'SubjectPublicKeyInfo'
  | 'PKCS #1'
  | 'PKCS #8'
  | 'SEC 1'
  | 'X.509 certificate'
  | 'PKCS #10 certificate request'
  | 'JWK'
  | 'OpenSSH'
  | 'XML'
  | 'PuTTY'
  | 'traditional DSA';

/** Why a key can't be used. */
export interface KeyRefusal {
  readonly code:
    | 'empty'
    | 'too-long'
    | 'not-a-key'
    | 'truncated'
    | 'malformed'
    | 'trailing-bytes'
    | 'algorithm'
    | 'unsound'
    | 'encrypted'
    | 'private-key'
    | 'not-a-private-key';
  /** A sentence with small initial and without full stop, such as "it is an EC (P-256) key". */
  readonly reason: string;
}

/** A key as it stands in its structure; what is absent could not be read. */
export interface KeyStructure {
  readonly kind: KeyKind;
  readonly format: KeyFormat;
  readonly algorithm?: KeyAlgorithm;
  /** The algorithm as people write it, "EC (P-256)". */
  readonly algorithmName?: string;
  /** The public numbers of an RSA key, of a private one too. */
  readonly rsa?: RsaNumbers;
  /** The SubjectPublicKeyInfo in DER, where the structure has one. */
  readonly spki?: Uint8Array;
  /** An RSAPrivateKey (RFC 8017 A.1.2) in DER: a secret. */
  readonly rsaPrivateKey?: Uint8Array;
  /** What a strict reader would not take, or what is odd, as sentences without a full stop. */
  readonly notes: readonly string[];
  readonly refusal?: KeyRefusal;
}

/** A structure of this kind with nothing to note. */
export function keyStructure(
  kind: KeyKind,
  format: KeyFormat,
  rest: Partial<KeyStructure> = {},
): KeyStructure {
  return { kind, format, notes: [], ...rest };
}

/** "an RSA", "a DSA": the article that fits how the name is spoken. */
export function withArticle(name: string): string {
  return `${/^(?:[AEIO]|RSA|X[.\d]|SM|SSH|ssh)/.test(name) ? 'an' : 'a'} ${name}`;
}
