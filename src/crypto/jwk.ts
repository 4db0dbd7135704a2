import { decodeBase64Lenient } from '../bytes.ts';
import { derTags, writeDer, writeDerInteger } from './der.ts';
import type { KeyAlgorithm } from './key-algorithms.ts';
import { type KeyKind, type KeyRefusal, type KeyStructure, keyStructure } from './key-structure.ts';
import { toBigInt } from './rsa-key.ts';
import { judgeNumbers, readRsaPrivateKey } from './rsa-structures.ts';

/** RFC 8037 2: the subtypes of an octet key pair. */
const octetKeyPairs: Readonly<Record<string, KeyAlgorithm>> = {
  Ed25519: 'ed25519',
  Ed448: 'ed448',
  X25519: 'x25519',
  X448: 'x448',
};

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

/** The value of a JSON text; undefined for any other. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readOne(jwk: Record<string, unknown>): KeyStructure | undefined {
  const kind: KeyKind = 'd' in jwk ? 'private-key' : 'public-key';
  const curve = readCurve(jwk.crv);
  switch (jwk.kty) {
    case 'RSA':
      return readRsaJwk(jwk, kind);
    case 'EC': {
      const name = curve === undefined ? 'EC' : `EC (${curve})`;
      return keyStructure(kind, 'JWK', { algorithm: 'ec', algorithmName: name });
    }
    case 'OKP': {
      const name = curve ?? 'OKP';
      return keyStructure(kind, 'JWK', { algorithm: octetKeyPairs[name], algorithmName: name });
    }
    case 'oct':
      return keyStructure('private-key', 'JWK', { algorithmName: 'symmetric (oct)' });
    default:
      return undefined;
  }
}

/** RFC 7518 6.3: the numbers in Base64url, big-endian. */
function readRsaJwk(jwk: Record<string, unknown>, kind: KeyKind): KeyStructure {
  const algorithm = { algorithm: 'rsa', algorithmName: 'RSA' } as const;
  const [modulus, exponent, ...rest] = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'].map((name) =>
    readNumber(jwk[name]),
  );
  if (modulus === undefined || exponent === undefined) {
    return keyStructure(kind, 'JWK', { ...algorithm, refusal: incomplete('"n" and "e"') });
  }
  const judged = judgeNumbers(modulus, toBigInt(exponent));
  if (kind === 'public-key') return keyStructure(kind, 'JWK', { ...algorithm, ...judged });
  const numbers = [modulus, exponent, ...rest];
  return { ...readPrivate(numbers), ...judged, kind, format: 'JWK' };
}

function readPrivate(numbers: readonly (Uint8Array | undefined)[]): KeyStructure {
  const present = numbers.filter((number) => number !== undefined);
  if (present.length < numbers.length) {
    const refusal = incomplete('"d", "p", "q", "dp", "dq" and "qi"');
    return keyStructure('private-key', 'JWK', { algorithm: 'rsa', algorithmName: 'RSA', refusal });
  }
  const version = Uint8Array.of(0);
  const fields = [version, ...present].map(writeDerInteger);
  const encoded = writeDer(derTags.sequence, ...fields);
  return readRsaPrivateKey({
    tag: derTags.sequence,
    encoded,
    contents: Buffer.concat(fields),
    shortestLength: true,
  });
}

/** A curve's name, where it is one that can be shown. */
function readCurve(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.-]{1,20}$/.test(value) ? value : undefined;
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
