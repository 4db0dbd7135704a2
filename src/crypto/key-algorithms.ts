import { type DerElement, derTags, formatObjectIdentifier, readDerChildren } from './der.ts';

/** The algorithms of keys that can be told apart; the interface takes `rsa` alone (2.2). */
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
  /** As people write it: "RSA", "EC (P-256)", "algorithm 1.2.840.10045.2.9". */
  readonly name: string;
}

/** RFC 3279, 4055, 5480, 8410. */
const byIdentifier: Readonly<Record<string, NamedAlgorithm>> = {
  '1.2.840.113549.1.1.1': { algorithm: 'rsa', name: 'RSA' },
  '1.2.840.113549.1.1.7': { algorithm: 'rsa-oaep', name: 'RSAES-OAEP' },
  '1.2.840.113549.1.1.10': { algorithm: 'rsa-pss', name: 'RSA-PSS' },
  '1.2.840.10040.4.1': { algorithm: 'dsa', name: 'DSA' },
  '1.2.840.113549.1.3.1': { algorithm: 'dh', name: 'Diffie-Hellman' },
  '1.2.840.10046.2.1': { algorithm: 'dh', name: 'Diffie-Hellman (X9.42)' },
  '1.2.840.10045.2.1': { algorithm: 'ec', name: 'EC' },
  '1.3.101.110': { algorithm: 'x25519', name: 'X25519' },
  '1.3.101.111': { algorithm: 'x448', name: 'X448' },
  '1.3.101.112': { algorithm: 'ed25519', name: 'Ed25519' },
  '1.3.101.113': { algorithm: 'ed448', name: 'Ed448' },
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
  const named = byIdentifier[dotted] ?? { name: `algorithm ${dotted}` };
  return named.algorithm === 'ec' ? ecAlgorithm(parameters) : named;
}

/** The EC algorithm, with its curve where the parameters name one. */
export function ecAlgorithm(parameters: DerElement | undefined): NamedAlgorithm {
  if (parameters?.tag !== derTags.objectIdentifier) return { algorithm: 'ec', name: 'EC' };
  const dotted = formatObjectIdentifier(parameters.contents);
  return { algorithm: 'ec', name: `EC (${curves[dotted] ?? dotted})` };
}
