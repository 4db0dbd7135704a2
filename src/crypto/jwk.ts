import { decodeBase64Lenient } from '../bytes.ts';
import {
  type KeyAlgorithm,
  type KeyKind,
  type KeyRefusal,
  type KeyStructure,
  keyStructure,
  rsa,
} from './key-structure.ts';
import { toBigInt } from './rsa-key.ts';
import { judgeNumbers, judgePrivateKey } from './rsa-structures.ts';

/** RFC 8037 2: the subtypes of an octet key pair. */
const octetKeyPairs: ReadonlyMap<unknown, KeyAlgorithm> = new Map([
  ['Ed25519', 'ed25519'],
  ['Ed448', 'ed448'],
  ['X25519', 'x25519'],
  ['X448', 'x448'],
]);

/** The key of a JWK (RFC 7517), or the first RSA key, else the first key, of a JWK set; undefined for any other value. */
export function readJwk(value: unknown): KeyStructure | undefined {
  if (!isRecord(value)) return undefined;
  if (!Array.isArray(value.keys)) return readOne(value);
  const keys = value.keys
    .slice(0, 100)
    .map((key) => (isRecord(key) ? readOne(key) : undefined))
    .filter((key) => key !== undefined);
  const found = keys.find(({ algorithm }) => algorithm === 'rsa') ?? keys[0];
  if (found === undefined || keys.length === 1) return found;
  return { ...found, notes: [...found.notes, `the JWK set has ${keys.length} keys; one was read`] };
}

function readOne(jwk: Record<string, unknown>): KeyStructure | undefined {
  const kind: KeyKind = 'd' in jwk ? 'private-key' : 'public-key';
  const curve = typeof jwk.crv === 'string' && /^[\w.-]{1,20}$/.test(jwk.crv) ? jwk.crv : undefined;
  switch (jwk.kty) {
    case 'RSA':
      return readRsaJwk(jwk, kind);
    case 'EC':
      return keyStructure(kind, 'JWK', {
        algorithm: 'ec',
        algorithmName: curve ? `EC (${curve})` : 'EC',
      });
    case 'OKP':
      return keyStructure(kind, 'JWK', {
        algorithm: octetKeyPairs.get(curve),
        algorithmName: curve ?? 'OKP',
      });
    case 'oct':
      return keyStructure('private-key', 'JWK', { algorithmName: 'symmetric (oct)' });
    default:
      return undefined;
  }
}

/** RFC 7518 6.3: the numbers in Base64url, big-endian. */
function readRsaJwk(jwk: Record<string, unknown>, kind: KeyKind): KeyStructure {
  const modulus = readNumber(jwk.n);
  const exponent = readNumber(jwk.e);
  if (modulus === undefined || exponent === undefined) {
    return keyStructure(kind, 'JWK', { ...rsa, refusal: incomplete('"n" and "e"') });
  }
  const judged = judgeNumbers(modulus, toBigInt(exponent));
  if (kind === 'public-key') return keyStructure(kind, 'JWK', { ...rsa, ...judged });
  const numbers = privateNumbers.flatMap((name) => readNumber(jwk[name]) ?? []);
  const missing = privateNumbers.filter((name) => readNumber(jwk[name]) === undefined);
  if (missing.length > 0) {
    const refusal = judged.refusal ?? incomplete(`${listed(missing)}, which OpenSSL needs`);
    return keyStructure(kind, 'JWK', { ...rsa, ...judged, refusal });
  }
  const names = ['kty', 'n', 'e', ...privateNumbers];
  const key = Object.fromEntries(names.map((name) => [name, jwk[name]]));
  const input = { key, format: 'jwk' } as const;
  const all = [modulus, exponent, ...numbers];
  return keyStructure(kind, 'JWK', { ...rsa, ...judgePrivateKey(input, judged, all) });
}

/** RFC 7518 6.3.2: all of them, since OpenSSL takes no private key without its primes. */
const privateNumbers = ['d', 'p', 'q', 'dp', 'dq', 'qi'];

/** `"p", "q" and "qi"`. */
function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  return [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter(Boolean).join(' and ');
}

function readNumber(value: unknown): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? decodeBase64Lenient(value) : undefined;
  return bytes?.length ? bytes : undefined;
}

function incomplete(fields: string): KeyRefusal {
  return { code: 'malformed', reason: `it is an RSA JWK that lacks a readable ${fields}` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
