import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RandomBytes } from '../../bytes.ts';
import type { Identity } from '../../crypto/certificates.ts';
import { type HostName, isPermitted, readHostName } from '../../crypto/host-names.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import type { TlsFaultName } from '../../emulator/faults/tls.ts';
import type { ServerTls } from '../../emulator/tls.ts';
import { AuthcliError } from '../../errors.ts';
import { dayMs } from '../../protocol/expiry.ts';

/** The CA of a profile, and the certificate with which its emulators listen. */
export interface LocalTls {
  readonly authority: Identity;
  readonly server?: Identity | undefined;
}

/** Where it is stored. */
export interface LocalTlsStore {
  read(): LocalTls | undefined;
  isPublished(stored: LocalTls): boolean;
  /** One at a time, over all processes. */
  change(next: (before: LocalTls | undefined) => Promise<LocalTls>): Promise<LocalTls>;
}

export interface LocalTlsTools {
  readonly store: LocalTlsStore;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly generateKeyPair: () => Promise<RsaPrivateKey>;
}

const hourMs = 3_600_000;
/** Clients refuse server certificates that are valid for more than 398 days, the hour before included. */
const serverDays = 397;
const authorityDays = 3650;
/** Before the end, a new one is made. */
const renewalMs = 30 * dayMs;
/** Of virtual machines and containers the clock may be behind. */
const clockSkewMs = hourMs;
/** Names and addresses that certificates of this machine always have. */
const ownNames = ['localhost', '127.0.0.1', '::1'];
const mostNames = 40;

/**
 * The CA, and a certificate of it for these names beside those of this machine; a new one is issued where the stored
 * one lacks a name or ends soon.
 * @throws AuthcliError `usage` for a name that the CA may not sign for
 */
export async function localServer(
  names: readonly HostName[],
  tools: LocalTlsTools,
): Promise<Required<LocalTls>> {
  const { store, now } = tools;
  const wanted = uniqueNames([...ownNames.map(knownName), ...names]);
  const isFit = (found: LocalTls | undefined): found is Required<LocalTls> =>
    found !== undefined &&
    isValid(found.authority, now()) &&
    found.server !== undefined &&
    isValid(found.server, now()) &&
    wanted.every(({ name }) => namesOf(found.server?.certificate ?? '').includes(name)) &&
    new X509Certificate(found.server.certificate).checkIssued(
      new X509Certificate(found.authority.certificate),
    );
  const found = store.read();
  if (isFit(found) && store.isPublished(found)) return found;
  const stored = await store.change(async (before) => {
    if (isFit(before)) return before;
    const earlier = before?.server === undefined ? [] : namesOf(before.server.certificate);
    const all = uniqueNames([...wanted, ...earlier.map(knownName)]).slice(0, mostNames);
    const refused = all.find((host) => !isPermitted(host));
    if (refused !== undefined) throw notPermitted(refused);
    const isCurrent = before !== undefined && isValid(before.authority, now());
    const authority = isCurrent ? before.authority : await newAuthority(tools);
    const { issueServerCertificate } = await import('../../crypto/certificates.ts');
    const order = await newOrder(authority, tools);
    return { authority, server: issueServerCertificate({ ...order, names: all }, authority) };
  });
  if (stored.server === undefined) throw new TypeError('no server certificate was made');
  return { authority: stored.authority, server: stored.server };
}

/** How an emulator listens that is wrong on purpose in the way of these faults. */
export async function faultyServer(
  faults: readonly TlsFaultName[],
  right: Required<LocalTls>,
  tools: LocalTlsTools,
): Promise<ServerTls> {
  const oldProtocol = faults.includes('tls-version');
  if (faults.every((fault) => fault === 'tls-version')) return { ...right.server, oldProtocol };
  const { issueServerCertificate } = await import('../../crypto/certificates.ts');
  const authority = faults.includes('tls-untrusted') ? await newAuthority(tools) : right.authority;
  const names = faults.includes('tls-hostname')
    ? ['other-host.test']
    : namesOf(right.server.certificate);
  const order = await newOrder(authority, tools);
  const past = { validFrom: tools.now() - 60 * dayMs, validTo: tools.now() - dayMs };
  const wrong = issueServerCertificate(
    {
      ...order,
      ...(faults.includes('tls-expired') && past),
      names: names.map(knownName),
    },
    authority,
  );
  return { ...wrong, oldProtocol };
}

/** The names and addresses of a certificate, in the form of {@link HostName}. */
export function namesOf(certificate: string): readonly string[] {
  const text = new X509Certificate(certificate).subjectAltName ?? '';
  return text.split(', ').flatMap((entry) => {
    const name = readHostName(entry.replace(/^(?:DNS|IP Address):/, ''))?.name;
    return name === undefined ? [] : [name];
  });
}

/** Those of this machine that the CA of this profile would sign for by default. */
export function permittedOf(names: readonly string[]): readonly HostName[] {
  return names.flatMap((text) => {
    const host = readHostName(text);
    return host !== undefined && isPermitted(host) ? [host] : [];
  });
}

async function newAuthority({
  now,
  randomBytes,
  generateKeyPair,
}: LocalTlsTools): Promise<Identity> {
  const { createAuthority } = await import('../../crypto/certificates.ts');
  // stores find a CA by its name: two of the same name would be mixed up
  const mark = Buffer.from(randomBytes(4)).toString('hex');
  return createAuthority({
    commonName: `authcli local CA ${mark}`,
    keyPair: await generateKeyPair(),
    serial: randomBytes(16),
    validFrom: now() - clockSkewMs,
    validTo: now() + authorityDays * dayMs,
  });
}

/** No certificate outlives its CA. */
async function newOrder(authority: Identity, { now, randomBytes, generateKeyPair }: LocalTlsTools) {
  const end = Date.parse(new X509Certificate(authority.certificate).validTo);
  return {
    commonName: 'authcli local server',
    keyPair: await generateKeyPair(),
    serial: randomBytes(16),
    validFrom: now() - clockSkewMs,
    validTo: Math.min(now() + serverDays * dayMs, end),
  };
}

/** Whether it can be read, belongs to its key, and is valid for some time to come. */
function isValid({ certificate, privateKey }: Identity, now: number): boolean {
  try {
    const read = new X509Certificate(certificate);
    return (
      Date.parse(read.validFrom) <= now &&
      Date.parse(read.validTo) - renewalMs > now &&
      read.checkPrivateKey(createPrivateKey(privateKey.reveal()))
    );
  } catch {
    return false; // changed by hand
  }
}

function uniqueNames(hosts: readonly HostName[]): readonly HostName[] {
  return [...new Map(hosts.map((host) => [host.name, host])).values()];
}

function knownName(text: string): HostName {
  const host = readHostName(text);
  if (host === undefined) throw new TypeError(`not a name or address: ${text}`);
  return host;
}

function notPermitted({ name }: HostName): AuthcliError {
  return new AuthcliError(
    'usage',
    `The local CA does not sign for ${name}: only for this machine, private addresses, and names below localhost, test, example, local, internal, home.arpa and lan.`,
    {
      hint: 'Listen on one of these.',
    },
  );
}
