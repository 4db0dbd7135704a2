import { X509Certificate } from 'node:crypto';
import { unlock } from '../crypto/key-reading.ts';
import type { KeyRefusal, KeyStructure, Locked } from '../crypto/key-structure.ts';
import { recogniseKey } from '../crypto/key-text.ts';
import { severalBlocks } from '../crypto/pem.ts';
import { toBigInt } from '../crypto/rsa-key.ts';
import { inspectKeyText, type KeyFacts, type KeyInspection, keyFacts } from './key-text.ts';

export interface ContentsInspection extends KeyInspection {
  /** What is in a PEM text of several blocks, in its order. */
  readonly entries?: readonly KeyFacts[];
  /** Why it could not be opened; `encrypted` where no password was given. */
  readonly closed?: KeyRefusal;
}

export interface InspectOptions {
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
