import { KeyFault } from '../crypto/der-fields.ts';
import { readDerKey } from '../crypto/der-keys.ts';
import { type KeyEntry, parseCertificate } from '../crypto/key-entries.ts';
import { describeProtection, unlock } from '../crypto/key-opening.ts';
import type { KeyRefusal, KeyStructure } from '../crypto/key-structure.ts';
import { recogniseKey } from '../crypto/key-text.ts';
import { severalBlocks } from '../crypto/pem.ts';
import { toBigInt } from '../crypto/rsa-key.ts';
import { inspectKeyText, type KeyFacts, type KeyInspection, keyFacts } from './key-text.ts';

/** One key, certificate or request of a file that has several. */
export interface InspectedEntry extends KeyFacts {
  /** Of a key in a key store. */
  readonly alias?: string;
}

export interface ContentsInspection extends KeyInspection {
  /** How a password protects it, as the file itself says. */
  readonly protection?: readonly string[];
  /** What is in a key store or in a PEM text of several blocks, each key before its chain. */
  readonly entries?: readonly InspectedEntry[];
  /** Why it could not be opened; `encrypted` where no password was given. */
  readonly closed?: KeyRefusal;
}

export interface InspectOptions {
  readonly password?: string | undefined;
  readonly now: number;
}

/** The same as {@link inspectKeyText}, and what is in key stores, chains and encrypted keys. */
export async function inspectKeyContents(
  input: string | Uint8Array,
  options: InspectOptions,
): Promise<ContentsInspection> {
  const base = inspectKeyText(input);
  const { key } = recogniseKey(input);
  if (key?.locked !== undefined) return inspectLocked(base, key, options);
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

async function inspectLocked(
  base: KeyInspection,
  { locked, kind }: KeyStructure,
  { password, now }: InspectOptions,
): Promise<ContentsInspection> {
  if (locked === undefined) return base;
  let protection: readonly string[] | undefined;
  try {
    protection = await describeProtection(locked);
    const { entries, others } = await unlock(locked, password);
    if (kind === 'private-key') return { ...base, ...openedKey(base, entries), protection };
    const read = [...entries.map(blocksOf), others.map(certificateOf)].flat();
    const aliases = new Map(entries.map((entry) => [entry.key, entry.alias]));
    return {
      ...base,
      protection,
      entries: read.map((one) => {
        const alias = aliases.get(one);
        return { ...(alias !== undefined && { alias }), ...keyFacts(one) };
      }),
      notes: [
        ...base.notes,
        ...entries.flatMap((entry) => chainNotes(blocksOf(entry), now)),
        ...dateNotes(others.map(certificateOf), now),
      ],
    };
  } catch (error) {
    if (!(error instanceof KeyFault)) throw error;
    return { ...base, ...(protection && { protection }), closed: error.refusal };
  }
}

function openedKey({ notes }: KeyInspection, [entry]: readonly KeyEntry[]) {
  if (entry === undefined) return {};
  const { key } = entry;
  const refused = key.refusal === undefined ? [] : [key.refusal.reason];
  const own = notes.filter((note) => !note.includes('encrypted with a passphrase'));
  return { ...keyFacts(key), notes: [...own, 'its password opens it', ...refused] };
}

function blocksOf({ key, certificates }: KeyEntry): readonly KeyStructure[] {
  return [key, ...certificates.map(certificateOf)];
}

function certificateOf(der: Uint8Array): KeyStructure {
  const read = readDerKey(der);
  if ('format' in read) return read;
  return { kind: 'certificate', format: 'X.509 certificate', notes: [], refusal: read.refusal };
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
