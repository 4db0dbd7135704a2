import { X509Certificate } from 'node:crypto';
import { readDerKey } from './der-keys.ts';
import { type KeyStructure, keyStructure } from './key-structure.ts';
import type { SafeBag } from './pkcs12-bags.ts';
import { toBigInt } from './rsa-key.ts';

/** A private key with the certificates that belong to it, its own first: a chain. */
export interface KeyEntry {
  readonly key: KeyStructure;
  /** As the key store calls it; by its place ("1", "2") where it has no name there. */
  readonly alias?: string;
  /** In DER. */
  readonly certificates: readonly Uint8Array[];
}

/** What a password opened. */
export interface OpenedKeys {
  readonly entries: readonly KeyEntry[];
  /** Certificates that belong to none of the keys, in DER. */
  readonly others: readonly Uint8Array[];
}

/** The private key in the DER; what can't be read as one is a key that is refused. */
export function keyOf(der: Uint8Array): KeyStructure {
  const read = readDerKey(der);
  if ('format' in read) return read;
  const reason = `it is damaged: what its password opens is not a private key, ${read.refusal.reason}`;
  return keyStructure('private-key', 'PKCS #8', { refusal: { code: 'damaged', reason } });
}

/** Each key of a key store with its chain. */
export function entriesOf(bags: readonly SafeBag[]): OpenedKeys {
  const certificates = bags.filter(({ type }) => type === 'certificate');
  const used = new Set<SafeBag>();
  const entries = bags
    .filter(({ type }) => type === 'key')
    .map((bag, index): KeyEntry => {
      const key = keyOf(bag.bytes);
      const own = certificates.find((found) => belongs(found, bag, key));
      const chain = own === undefined ? [] : chainFrom(own, certificates);
      for (const found of chain) used.add(found);
      const alias = bag.alias ?? own?.alias ?? String(index + 1);
      return { key, alias, certificates: chain.map(({ bytes }) => bytes) };
    });
  const others = certificates.filter((found) => !used.has(found)).map(({ bytes }) => bytes);
  return { entries, others };
}

/** The chain of a private key (PKCS #8) among certificates, all in DER; empty where none is of the key. */
export function chainOf(
  privateKey: Uint8Array,
  certificates: readonly Uint8Array[],
): readonly Uint8Array[] {
  const bags = certificates.map((bytes) => ({ type: 'certificate', bytes }) as const);
  return entriesOf([{ type: 'key', bytes: privateKey }, ...bags]).entries[0]?.certificates ?? [];
}

function belongs(certificate: SafeBag, key: SafeBag, { rsa }: KeyStructure): boolean {
  if (key.localKeyId !== undefined && certificate.localKeyId === key.localKeyId) return true;
  const read = readDerKey(certificate.bytes);
  if (rsa === undefined || !('format' in read) || read.rsa === undefined) return false;
  return toBigInt(rsa.modulus) === toBigInt(read.rsa.modulus);
}

/** The certificate, then that of its issuer and so on (RFC 5280 6.1), as far as they are there. */
function chainFrom(own: SafeBag, certificates: readonly SafeBag[]): readonly SafeBag[] {
  const parsed = certificates.flatMap((bag) => {
    const certificate = parseCertificate(bag.bytes);
    return certificate === undefined ? [] : [{ bag, certificate }];
  });
  const chain = parsed.filter(({ bag }) => bag === own);
  for (let last = chain[0]; last !== undefined && chain.length < 20; ) {
    const { certificate } = last;
    last = parsed.find(
      (next) => !chain.includes(next) && certificate.checkIssued(next.certificate),
    );
    if (last !== undefined) chain.push(last);
  }
  return chain.length === 0 ? [own] : chain.map(({ bag }) => bag);
}

/** Undefined for what OpenSSL can't read. */
export function parseCertificate(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}
