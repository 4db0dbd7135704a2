import { X509Certificate } from 'node:crypto';
import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import type { CertificateFacts } from '../crypto/certificate-facts.ts';
import { noteConversion, refusePublicKey, unlock } from '../crypto/key-reading.ts';
import type {
  KeyAlgorithm,
  KeyKind,
  KeyRefusal,
  KeyStructure,
  Locked,
} from '../crypto/key-structure.ts';
import { type KeyEncoding, type KeyRecognition, recogniseKey } from '../crypto/key-text.ts';
import { severalBlocks } from '../crypto/pem.ts';
import { bitLength, encodeSpki, toBigInt } from '../crypto/rsa-key.ts';
import { fingerprintOfBytes, fingerprintOfKey } from '../crypto/secret.ts';
import { looksLikePerUserKey, notesOnOtherLength, notesOnPerUserKey } from './per-user-key.ts';
import { usualModulusBytes } from './wrapped-key.ts';

/** What is said of each key, certificate and request. */
export interface KeyFacts {
  readonly kind: KeyKind | 'per-user-key' | 'wrapped-key' | 'unknown';
  readonly algorithm?: KeyAlgorithm;
  readonly bits?: number;
  /** Of the SubjectPublicKeyInfo in DER, of a private key's public half too, or of a per-user key. */
  readonly fingerprint?: string;
  /** Of a certificate or request. */
  readonly facts?: CertificateFacts;
}

export interface KeyInspection extends KeyFacts {
  readonly encoding?: KeyEncoding;
  /** Sentences without a full stop, the outermost oddity first; never any of a secret. */
  readonly notes: readonly string[];
  readonly usable: boolean;
  /** The public key as the interface sends it (2.2), where there is an RSA key that can be used. */
  readonly publicKey?: string;
}

const wrappedKeyBytes: readonly number[] = [...usualModulusBytes, 1024];
const usualBits = 2048;

/**
 * What a text or file is: a public or private key, certificate or request in whatever encoding, a
 * per-user key (2.2), a wrapped key (4.1.1) or unknown. Nothing of a private key is returned.
 */
export function inspectKeyText(input: string | Uint8Array): KeyInspection {
  const recognition = recogniseKey(input);
  if (recognition.key !== undefined) return inspectKey(recognition, recognition.key);
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  const line = text?.replace(/\r?\n$/, '') ?? '';
  if (looksLikePerUserKey(line)) {
    const notes = notesOnPerUserKey(line);
    return { kind: 'per-user-key', fingerprint: fingerprintOfKey(line), notes, usable: false };
  }
  const isWrappedKey =
    recognition.refusal?.code === 'not-a-key' &&
    wrappedKeyBytes.includes(recognition.bytes?.length ?? 0);
  if (isWrappedKey) return inspectWrappedKey(recognition);
  return inspectUnknown(recognition, line);
}

function inspectKey(recognition: KeyRecognition, key: KeyStructure): KeyInspection {
  const usable = refusePublicKey(recognition) === undefined && key.rsa !== undefined;
  const spki = spkiOf(key);
  const facts = keyFacts(key);
  const { bits } = facts;
  return {
    ...facts,
    ...(recognition.encoding && { encoding: recognition.encoding }),
    notes: [
      ...recognition.notes,
      ...notesOnKey(recognition, key),
      ...(usable && bits !== undefined && bits < usualBits
        ? [`${bits} bits are fewer than the ${usualBits} that are usual today`]
        : []),
    ],
    usable,
    ...(usable && spki && { publicKey: encodeBase64(spki) }),
  };
}

/** What is said of any key or certificate. */
function keyFacts(key: KeyStructure): KeyFacts {
  const spki = spkiOf(key);
  return {
    kind: key.kind,
    ...(key.algorithm && { algorithm: key.algorithm }),
    ...(key.rsa && { bits: bitLength(key.rsa.modulus) }),
    ...(spki && { fingerprint: fingerprintOfBytes(spki) }),
    ...(key.facts && { facts: key.facts }),
  };
}

function spkiOf(key: KeyStructure): Uint8Array | undefined {
  return key.algorithm === 'rsa' && key.rsa ? encodeSpki(key.rsa) : key.spki;
}

function notesOnKey(recognition: KeyRecognition, key: KeyStructure): readonly string[] {
  if (key.kind === 'key-store') return [];
  if (key.kind === 'private-key')
    return [privateNote, ...(key.refusal ? [key.refusal.reason] : [])];
  const refusal = refusePublicKey(recognition);
  const verdict = refusal ? [`it can't be used as public_key: ${refusal.reason}`] : [];
  return [...noteConversion(recognition), ...verdict];
}

const privateNote =
  'it is a private key, so none of it is shown: keep it where it was generated, and send only its public half';

function inspectWrappedKey({ bytes, encoding, notes }: KeyRecognition): KeyInspection {
  const length = bytes?.length ?? 0;
  return {
    kind: 'wrapped-key',
    ...(encoding && { encoding }),
    notes: [
      `it is ${length} bytes, the size of a ciphertext under RSA with ${length * 8} bits; only the private key can confirm it`,
      ...notes,
    ],
    usable: false,
  };
}

function inspectUnknown(recognition: KeyRecognition, line: string): KeyInspection {
  const { encoding, kind = 'unknown', notes, refusal } = recognition;
  const reason = refusal?.reason ?? 'it is not a key in any known format';
  const isDamagedKey = refusal?.code !== 'not-a-key';
  return {
    kind,
    ...(encoding && isDamagedKey && { encoding }),
    notes: [
      ...(isDamagedKey ? notes : []),
      reason,
      ...(kind === 'private-key' ? [privateNote] : []),
      ...(isDamagedKey ? [] : notesOnOtherLength(line)),
    ],
    usable: false,
  };
}

export interface ContentsInspection extends KeyInspection {
  /** What is in a PEM text of several blocks, in its order. */
  readonly entries?: readonly KeyFacts[];
  /** Why it could not be opened; `encrypted` where no password was given. */
  readonly closed?: KeyRefusal;
}

interface InspectOptions {
  readonly password?: string | undefined;
  readonly now: number;
}

/** The same as {@link inspectKeyText}, and what is in chains and encrypted keys. */
export function inspectKeyContents(
  input: string | Uint8Array,
  options: InspectOptions,
): ContentsInspection {
  const base = inspectKeyText(input);
  const { key } = recogniseKey(input);
  if (key?.locked !== undefined) return inspectLocked(base, key.locked, options);
  if (key?.kind === 'key-store') return { ...base, closed: key.refusal };
  const blocks = key?.blocks ?? [];
  const dates = key === undefined ? [] : dateNotes([key], options.now);
  if (blocks.length === 0) return { ...base, notes: [...base.notes, ...dates] };
  const onlyOne = severalBlocks(blocks.length);
  const own = base.notes.filter((note) => note !== onlyOne);
  return {
    ...base,
    entries: blocks.map(keyFacts),
    notes: [...own, ...chainNotes(blocks, options.now)],
  };
}

function inspectLocked(
  base: KeyInspection,
  locked: Locked,
  { password }: InspectOptions,
): ContentsInspection {
  const key = unlock(locked, password);
  if (!('format' in key)) return { ...base, closed: key.refusal };
  const refused = key.refusal === undefined ? [] : [key.refusal.reason];
  const own = base.notes.filter((note) => !note.includes('encrypted with a passphrase'));
  return { ...base, ...keyFacts(key), notes: [...own, 'its password opens it', ...refused] };
}

/** Whether the certificates belong to the key, and each to the next (RFC 5280 6.1). */
function chainNotes(blocks: readonly KeyStructure[], now: number): readonly string[] {
  const key = blocks.find(({ kind }) => kind === 'private-key');
  const certificates = blocks.filter(({ kind }) => kind === 'certificate');
  const [first] = certificates;
  const isOther =
    key?.rsa !== undefined &&
    first?.rsa !== undefined &&
    toBigInt(key.rsa.modulus) !== toBigInt(first.rsa.modulus);
  const foreign = isOther
    ? [`the certificate ${nameOf(first)} does not belong to the private key beside it`]
    : [];
  const broken = certificates.slice(1).flatMap((issuer, index) => {
    const issued = certificates[index];
    return issued === undefined || hasIssued(issuer, issued)
      ? []
      : [`the chain is broken: ${nameOf(issued)} was not issued by ${nameOf(issuer)}`];
  });
  return [...foreign, ...broken, ...dateNotes(certificates, now)];
}

function hasIssued({ encoded: issuer }: KeyStructure, { encoded: issued }: KeyStructure): boolean {
  const above = issuer && parseCertificate(issuer);
  const below = issued && parseCertificate(issued);
  if (above === undefined || below === undefined) return true;
  return below.checkIssued(above) && below.verify(above.publicKey);
}

function dateNotes(certificates: readonly KeyStructure[], now: number): readonly string[] {
  return certificates.flatMap((certificate) => {
    const { notBefore, notAfter } = certificate.facts ?? {};
    if (notAfter !== undefined && Date.parse(notAfter) < now) {
      return [`the certificate ${nameOf(certificate)} expired on ${notAfter}`];
    }
    if (notBefore !== undefined && Date.parse(notBefore) > now) {
      return [`the certificate ${nameOf(certificate)} is not valid before ${notBefore}`];
    }
    return [];
  });
}

function nameOf({ facts }: KeyStructure): string {
  return JSON.stringify(facts?.subject ?? '');
}

/** Undefined for what OpenSSL can't read. */
function parseCertificate(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}
