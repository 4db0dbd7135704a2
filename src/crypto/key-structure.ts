import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { capitalised, counted, ownProperty, shorten } from '../text.ts';
import { type DerReading, derTags, readDerChildren, readDerElement } from './der.ts';
import { perUserKeyLength } from './per-user-key.ts';
import { type RsaNumbers, rsaNumbersOf, toBigInt } from './rsa-key.ts';
import { emeOverheadBytes } from './rsaes-pkcs1-v1_5.ts';

/*
 * Keys in the structures that contain them. OpenSSL reads and judges the keys; what is ours is to see which
 * structure it is, to say why a key can't be read, and what the interface can't use.
 */

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
  | 'XML'
  | 'that of another program';

export interface KeyRefusal {
  readonly code:
    | 'empty'
    | 'too-long'
    | 'not-a-key'
    | 'truncated'
    | 'malformed'
    | 'algorithm'
    | 'unsound'
    | 'encrypted'
    | 'private-key'
    | 'not-a-private-key'
    | 'wrong-password'
    | 'unsupported-encryption'
    | 'key-store';
  /** A sentence with small initial and without full stop, such as "it is an EC key". */
  readonly reason: string;
  /** What to do, as sentences; `file` is the file as a word of a shell. */
  readonly fix?: (file: string) => string;
}

/** A private key as its password encrypted it: PKCS #8 in DER, or OpenSSL's traditional PEM. */
export type Locked = Uint8Array | string;

/** A key in its structure; what is absent could not be read. */
export interface KeyStructure {
  readonly kind: KeyKind;
  readonly format: KeyFormat;
  /** In the words of node:crypto; the interface takes `rsa` alone (2.2). */
  readonly algorithm?: string;
  /** Of a private key, a secret. */
  readonly keyObject?: KeyObject;
  readonly locked?: Locked;
  /** What a strict reader would not take, or what is odd, as sentences without a full stop. */
  readonly notes: readonly string[];
  readonly refusal?: KeyRefusal;
}

export interface UnreadKey {
  readonly kind?: KeyKind;
  readonly notes?: readonly string[];
  readonly refusal: KeyRefusal;
}

/** A private key that a password opens. */
export function lockedKey(locked: Locked): KeyStructure {
  return { kind: 'private-key', format: 'PKCS #8', locked, notes: [], refusal: encryptedKey };
}

export const encryptedKey: KeyRefusal = {
  code: 'encrypted',
  reason: 'it is a private key encrypted with a passphrase',
  fix: (file) => `Decrypt it first: \`openssl pkey -in ${file} -out decrypted.pem\`.`,
};

/** "an RSA key", "an EC (prime256v1) key", "an Ed25519 key". */
export function describeAlgorithm(algorithm: string, key: KeyObject | undefined): string {
  const name = /\d/.test(algorithm) ? capitalised(algorithm) : algorithm.toUpperCase();
  const curve = key?.asymmetricKeyDetails?.namedCurve;
  const article = /^(?:E|RSA)/.test(name) ? 'an' : 'a';
  return `${article} ${name}${curve === undefined ? '' : ` (${curve})`} key`;
}

/**
 * The key, certificate or request in the DER, recognised by its structure alone. Bytes after it, BER's
 * longer lengths and unnecessary zeros are read as OpenSSL reads them, and noted.
 */
export function readDerKey(bytes: Uint8Array): KeyStructure | UnreadKey {
  const reading = readDerElement(bytes);
  if (!reading.ok) return { kind: guessKind(bytes), refusal: faultRefusal(reading) };
  const children = readDerChildren(reading.element);
  if (reading.element.tag !== derTags.sequence || children === undefined) {
    return { kind: guessKind(bytes), refusal: brokenInside };
  }
  const key = Buffer.from(reading.element.encoded);
  const letters = children.map(({ tag }) => tagLetters[tag] ?? '?').join('');
  switch (letters) {
    case 'SB': // RFC 5280 4.1.2.7
      return readPublic(bytes, key, 'spki');
    case 'II': // RFC 8017 A.1.1
      return readPublic(bytes, key, 'pkcs1');
    case 'SO': // RFC 5958 3
      return lockedKey(key);
    case 'SSB':
      return readCertificate(key);
  }
  const [, type, format] = privateTypes.find(([pattern]) => pattern.test(letters)) ?? [];
  if (type === undefined)
    return { kind: guessKind(bytes), refusal: letters.startsWith('N') ? pkcs7 : otherDer };
  return readKey('private-key', format, () => createPrivateKey({ key, format: 'der', type }));
}

const tagLetters: Readonly<Record<number, string>> = {
  [derTags.sequence]: 'S',
  [derTags.bitString]: 'B',
  [derTags.integer]: 'I',
  [derTags.octetString]: 'O',
  [derTags.objectIdentifier]: 'N',
};

/** By the elements of the structure: RFC 8017 A.1.2, RFC 5958 2, RFC 5915 3. */
const privateTypes = [
  [/^I{9}S?$/, 'pkcs1', 'PKCS #1'],
  [/^ISO/, 'pkcs8', 'PKCS #8'],
  [/^IO/, 'sec1', 'SEC 1'],
] as const;

function readPublic(bytes: Uint8Array, key: Buffer, type: 'spki' | 'pkcs1'): KeyStructure {
  const format = type === 'spki' ? 'SubjectPublicKeyInfo' : 'PKCS #1';
  const read = readKey('public-key', format, () => createPublicKey({ key, format: 'der', type }));
  const written = read.keyObject?.export({ type: 'spki', format: 'der' });
  // PKCS #1 is the end of SubjectPublicKeyInfo: as itself, Node 24.21 can't export what it read of it.
  const own = type === 'spki' ? written : written?.subarray(-bytes.length);
  return own === undefined || own.equals(bytes) ? read : { ...read, notes: [notDer] };
}

const notDer =
  "its DER is not as OpenSSL writes it: BER's lengths, zeros more or fewer in front of a number, no NULL behind the algorithm, or bytes after its end; lenient readers such as OpenSSL overlook that, strict ones such as Go and Python's cryptography refuse it";

/** TBSCertificate (RFC 5280 4.1), or CertificationRequestInfo (RFC 2986 4.1): the key in it. */
function readCertificate(key: Buffer): KeyStructure {
  const signed = childrenIn(key)?.[0];
  const [version, , spki, ...attributes] = (signed && childrenIn(signed.encoded)) ?? [];
  if (version?.tag !== derTags.integer || attributes.length !== 1 || spki === undefined) {
    const format = 'X.509 certificate';
    return readKey('certificate', format, () => new X509Certificate(key).publicKey);
  }
  const der = { key: Buffer.from(spki.encoded), format: 'der', type: 'spki' } as const;
  const format = 'PKCS #10 certificate request';
  return readKey('certificate-request', format, () => createPublicKey(der));
}

function childrenIn(der: Uint8Array) {
  const reading = readDerElement(der);
  return reading.ok ? readDerChildren(reading.element) : undefined;
}

/** The key of a JWK (RFC 7517), or the first RSA key, else the first key, of a JWK set; undefined for any other value. */
export function readJwk(value: unknown): KeyStructure | undefined {
  if (!isRecord(value)) return undefined;
  if (!Array.isArray(value.keys)) return readOneJwk(value);
  const keys = value.keys.filter(isRecord);
  const read = readOneJwk(keys.find(({ kty }) => kty === 'RSA') ?? keys[0] ?? {});
  if (read === undefined || keys.length === 1) return read;
  return { ...read, notes: [`the JWK set has ${keys.length} keys; one was read`] };
}

function readOneJwk(key: Record<string, unknown>): KeyStructure | undefined {
  if (!['RSA', 'EC', 'OKP', 'oct'].includes(String(key.kty))) return undefined;
  const isPrivate = 'd' in key || 'k' in key;
  const input = { key: key as JsonWebKey, format: 'jwk' } as const;
  const read = isPrivate
    ? readKey('private-key', 'JWK', () => createPrivateKey(input))
    : readKey('public-key', 'JWK', () => createPublicKey(input));
  if (read.keyObject !== undefined) return read;
  const algorithm = ownProperty({ RSA: 'rsa', EC: 'ec' }, String(key.kty));
  // Node 26 refuses numbers that don't belong together; others read them, and they are compared below.
  const isWhole = privateNumbers.every((name) => typeof key[name] === 'string');
  return { ...read, algorithm, refusal: isWhole ? mismatch : brokenJwk };
}

const privateNumbers = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

const brokenJwk: KeyRefusal = {
  code: 'malformed',
  reason:
    'it is a JWK that OpenSSL can\'t read: an RSA key needs "n" and "e", a private one "d", "p", "q", "dp", "dq" and "qi" too',
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What OpenSSL takes, and why the interface can't use it. */
function readKey(kind: KeyKind, format: KeyFormat, load: () => KeyObject): KeyStructure {
  try {
    const keyObject = load();
    const algorithm = keyObject.asymmetricKeyType;
    const refusal = algorithm === 'rsa' ? refuseNumbers(keyObject) : undefined;
    return { kind, format, algorithm, keyObject, notes: [], refusal };
  } catch {
    return { kind, format, notes: [], refusal: refusedByOpenSsl };
  }
}

const refusedByOpenSsl: KeyRefusal = {
  code: 'malformed',
  reason: "OpenSSL can't read it: it is damaged, or of an unknown algorithm",
};

function refuseNumbers(key: KeyObject): KeyRefusal | undefined {
  const unsound = findUnsoundness(rsaNumbersOf(key));
  if (unsound !== undefined) return { code: 'unsound', reason: `it is an RSA key that ${unsound}` };
  return key.type === 'public' || belongTogether(key) ? undefined : mismatch;
}

/** OpenSSL checks this only in the releases of Node 26: decryption with others fails at random or is silently wrong. */
function belongTogether(key: KeyObject): boolean {
  const jwk = key.export({ format: 'jwk' });
  const numbers = [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q];
  const bytes = numbers.map((number = '') => Buffer.from(number, 'base64url'));
  if (bytes.some(({ length }) => length > largestModulusBits / 8)) return false;
  const [n = 0n, e = 0n, d = 0n, p = 0n, q = 0n] = bytes.map(toBigInt);
  // RFC 8017 3.2: n may have further primes, and e * d is 1 modulo each prime less one
  const arePrimes = p > 1n && q > 1n && n % (p * q) === 0n;
  return arePrimes && (e * d) % (p - 1n) === 1n && (e * d) % (q - 1n) === 1n;
}

const mismatch: KeyRefusal = {
  code: 'malformed',
  reason: 'it is damaged: the numbers of the private key do not belong together',
};

/** Twice what the largest keys in use have: the time that a key takes grows with the cube of its size, to make one with the fourth power. */
const largestModulusBits = 8192;
const largestExponent = 1n << 64n;

/** SP 800-89 5.3.3: a modulus has no factor below 752. */
const smallestAllowedFactor = 752n;

/**
 * Why no application should wrap a per-user key with this RSA key, as the end of a sentence that
 * begins with "it"; undefined for a key that will do. An exponent of 3 and 1024 bits will do.
 */
export function findUnsoundness({ modulus, publicExponent }: RsaNumbers): string | undefined {
  const number = toBigInt(modulus);
  const bits = number.toString(2).length;
  const room = Math.ceil(bits / 8) - emeOverheadBytes;
  if (publicExponent === 1n) return 'has the exponent 1, so that the ciphertext is the plaintext';
  // RFC 8017 3.1: e is coprime to lambda(n), which is even
  if (publicExponent % 2n === 0n) {
    return `has the even exponent ${shorten(publicExponent.toString(), 21)}, which no RSA key can have`;
  }
  if (number % 2n === 0n) return 'has an even modulus, which no RSA key can have';
  if (room < perUserKeyLength) {
    return `has a modulus of ${bits} bits, too short for a key of ${perUserKeyLength} characters: PKCS #1 v1.5 padding leaves space for ${Math.max(room, 0)}`;
  }
  if (bits > largestModulusBits) {
    return `has a modulus of ${bits} bits; more than ${largestModulusBits} can't be used`;
  }
  if (publicExponent > largestExponent)
    return "has an exponent of more than 64 bits, which can't be used";
  for (let factor = 3n; factor < smallestAllowedFactor; factor += 2n) {
    if (number % factor === 0n)
      return `has a modulus divisible by ${factor}: it is damaged or made up`;
  }
  return undefined;
}

/** Whether the bytes begin as every key in DER does: a SEQUENCE, then INTEGER or SEQUENCE. */
export function looksLikeDer(bytes: Uint8Array): boolean {
  if (bytes[0] !== derTags.sequence) return false;
  const first = bytes[1] ?? 0;
  const inner = bytes[first < 0x80 ? 2 : 2 + (first & 0x7f)];
  return (
    inner === derTags.integer ||
    inner === derTags.sequence ||
    (inner === derTags.objectIdentifier && first >= 0x80)
  );
}

/** A private key begins with its version number; reported even for a damaged one, so that it is never shown. */
function guessKind(bytes: Uint8Array): KeyKind | undefined {
  const start = (bytes[1] ?? 0) < 0x80 ? 2 : 2 + ((bytes[1] ?? 0) & 0x7f);
  const [tag, length, version] = bytes.subarray(start, start + 3);
  const isVersion = tag === derTags.integer && length === 1 && (version ?? 9) <= 1;
  return isVersion ? 'private-key' : undefined;
}

const brokenInside: KeyRefusal = {
  code: 'malformed',
  reason: 'its DER is damaged: an element inside is broken or not where it belongs',
};

const otherDer: KeyRefusal = {
  code: 'not-a-key',
  reason: 'it is DER, but no key, certificate or request',
};

const pkcs7: KeyRefusal = {
  code: 'not-a-key',
  reason: 'it is a PKCS #7 container, not a key',
  fix: (file) =>
    `Take the certificates out of it: \`openssl pkcs7 -in ${file} -print_certs -out chain.pem\`, with -inform DER if it is not PEM.`,
};

function faultRefusal({ announced, present }: Extract<DerReading, { ok: false }>): KeyRefusal {
  if (announced === undefined || present === undefined) {
    const reason = 'its DER is damaged: its first tag or length is invalid';
    return { code: 'malformed', reason };
  }
  const there = `${counted(present, 'byte')} ${present === 1 ? 'is' : 'are'} there`;
  const reason = `it is truncated: its DER announces ${counted(announced, 'byte')}, ${there}, ${announced - present} missing`;
  return { code: 'truncated', reason };
}
