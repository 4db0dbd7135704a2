import type { KeyObject } from 'node:crypto';
import type { CertificateFacts } from './certificate-facts.ts';
import { type DerElement, derTags, formatObjectIdentifier, readDerChildren } from './der.ts';
import type { RsaNumbers } from './rsa-key.ts';

export type KeyKind =
  | 'public-key'
  | 'private-key'
  | 'certificate'
  | 'certificate-request'
  | 'key-store';

/** The structure that contains the key, by its usual name. */
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
  | 'traditional DSA'
  // files with several keys and certificates
  | 'PKCS #12'
  | 'JKS'
  | 'JCEKS'
  | 'BKS'
  | 'BKS or UBER';

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
    | 'not-a-private-key'
    | 'wrong-password'
    | 'unsupported-encryption'
    | 'key-store';
  /** A sentence with small initial and without full stop, such as "it is an EC (P-256) key". */
  readonly reason: string;
  /** What to do, as sentences; `file` is the file as a word of a shell. */
  readonly fix?: (file: string) => string;
}

/** Of a private key for which no password was given. */
export const encryptedKey: KeyRefusal = {
  code: 'encrypted',
  reason: 'it is a private key encrypted with a passphrase',
  fix: (file) => `Decrypt it first: \`openssl pkey -in ${file} -out decrypted.pem\`.`,
};

/** A private key as its password encrypted it: PKCS #8 in DER, or OpenSSL's traditional PEM. */
export type Locked = Uint8Array | string;

/** A key in its structure; what is absent could not be read. */
export interface KeyStructure extends Partial<NamedAlgorithm> {
  readonly kind: KeyKind;
  readonly format: KeyFormat;
  /** The public numbers of an RSA key, of a private one too. */
  readonly rsa?: RsaNumbers;
  /** The SubjectPublicKeyInfo in DER, where the structure has one. */
  readonly spki?: Uint8Array;
  /** The private key of an RSA key pair, as OpenSSL took it: a secret. */
  readonly privateKey?: KeyObject;
  /** Of a certificate or request. */
  readonly facts?: CertificateFacts;
  /** A certificate or request in DER. */
  readonly encoded?: Uint8Array;
  /** All keys and certificates of a PEM text with several, in their order. */
  readonly blocks?: readonly KeyStructure[];
  /** What a password opens. */
  readonly locked?: Locked;
  /** What a strict reader would not take, or what is odd, as sentences without a full stop. */
  readonly notes: readonly string[];
  readonly refusal?: KeyRefusal;
}

/** A structure of this kind with nothing to note. */
export function keyStructure(
  kind: KeyKind,
  format: KeyFormat,
  rest: Partial<KeyStructure>,
): KeyStructure {
  return { kind, format, notes: [], ...rest };
}

/** "an RSA", "a DSA": the article that fits how the name is spoken. */
export function withArticle(name: string): string {
  return `${/^(?:[AEIO]|RSA|X[.\d]|SM|SSH|ssh)/.test(name) ? 'an' : 'a'} ${name}`;
}

/** The algorithms of keys that can be recognised; the interface takes `rsa` alone (2.2). */
export type KeyAlgorithm =
  | 'rsa'
  | 'rsa-pss'
  | 'rsa-oaep'
  | 'dsa'
  | 'dh'
  | 'ec'
  | 'ed25519'
  | 'ed448'
  | 'x25519'
  | 'x448';

export interface NamedAlgorithm {
  /** Absent for an algorithm that isn't in the table. */
  readonly algorithm?: KeyAlgorithm;
  /** The usual name: "RSA", "EC (P-256)", "algorithm 1.2.840.10045.2.9". */
  readonly algorithmName: string;
}

export const rsa = { algorithm: 'rsa', algorithmName: 'RSA' } as const;

/** RFC 3279, 4055, 5480, 8410. */
const byIdentifier: Readonly<Record<string, NamedAlgorithm>> = {
  '1.2.840.113549.1.1.1': rsa,
  '1.2.840.113549.1.1.7': { algorithm: 'rsa-oaep', algorithmName: 'RSAES-OAEP' },
  '1.2.840.113549.1.1.10': { algorithm: 'rsa-pss', algorithmName: 'RSA-PSS' },
  '1.2.840.10040.4.1': { algorithm: 'dsa', algorithmName: 'DSA' },
  '1.2.840.113549.1.3.1': { algorithm: 'dh', algorithmName: 'Diffie-Hellman' },
  '1.2.840.10046.2.1': { algorithm: 'dh', algorithmName: 'Diffie-Hellman (X9.42)' },
  '1.2.840.10045.2.1': { algorithm: 'ec', algorithmName: 'EC' },
  '1.3.101.110': { algorithm: 'x25519', algorithmName: 'X25519' },
  '1.3.101.111': { algorithm: 'x448', algorithmName: 'X448' },
  '1.3.101.112': { algorithm: 'ed25519', algorithmName: 'Ed25519' },
  '1.3.101.113': { algorithm: 'ed448', algorithmName: 'Ed448' },
};

/** RFC 5480 2.1.1.1, RFC 5639 4.1, SEC 2 2.4. */
const curves: Readonly<Record<string, string>> = {
  '1.2.840.10045.3.1.1': 'P-192',
  '1.2.840.10045.3.1.7': 'P-256',
  '1.3.132.0.10': 'secp256k1',
  '1.3.132.0.33': 'P-224',
  '1.3.132.0.34': 'P-384',
  '1.3.132.0.35': 'P-521',
  '1.3.36.3.3.2.8.1.1.7': 'brainpoolP256r1',
  '1.3.36.3.3.2.8.1.1.11': 'brainpoolP384r1',
  '1.3.36.3.3.2.8.1.1.13': 'brainpoolP512r1',
  '1.2.156.10197.1.301': 'SM2',
};

/** The algorithm that an AlgorithmIdentifier (RFC 5280 4.1.1.2) names; undefined for any other element. */
export function readAlgorithmIdentifier(
  element: DerElement | undefined,
): NamedAlgorithm | undefined {
  if (element?.tag !== derTags.sequence) return undefined;
  const [identifier, parameters] = readDerChildren(element) ?? [];
  if (identifier?.tag !== derTags.objectIdentifier) return undefined;
  const dotted = formatObjectIdentifier(identifier.contents);
  const named = byIdentifier[dotted] ?? { algorithmName: `algorithm ${dotted}` };
  return named.algorithm === 'ec' ? ecAlgorithm(parameters) : named;
}

/** The EC algorithm, with its curve where the parameters name one. */
export function ecAlgorithm(parameters: DerElement | undefined): NamedAlgorithm {
  if (parameters?.tag !== derTags.objectIdentifier) return { algorithm: 'ec', algorithmName: 'EC' };
  const dotted = formatObjectIdentifier(parameters.contents);
  return { algorithm: 'ec', algorithmName: `EC (${curves[dotted] ?? dotted})` };
}
