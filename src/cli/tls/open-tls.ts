import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RandomBytes } from '../../bytes.ts';
import { readCertificates, type TransportOptions } from '../../client/transport-options.ts';
import type { Identity } from '../../crypto/certificates.ts';
import { type HostName, isPermitted, readHostName } from '../../crypto/host-names.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import { isTlsFault, type TlsFaultName } from '../../emulator/faults/tls.ts';
import type { ServerTls } from '../../emulator/tls.ts';
import { dayMs } from '../../protocol/expiry.ts';
import { fields } from '../../reports/human.ts';
import { escapeControls, shellWord } from '../../text.ts';
import { flag } from '../args/options.ts';
import { quote } from '../args/values.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';

/** What every command that listens takes. */
export const tlsFlags = {
  tls: flag('--tls', 'listen with https, with a certificate of the local CA of this profile'),
} as const;

interface Listening {
  readonly tls: boolean;
  readonly host: string;
  /** With those that aren't of TLS. */
  readonly fault: readonly string[];
}

/** With what a command listens. */
export interface OpenedTls {
  readonly server: ServerTls;
  /** What clients are to trust. */
  readonly authorityFile: string;
}

/** How authcli sends requests to a server of its own, whose certificate may be wrong on purpose, or for other names. */
export function toOwnServer(tls: OpenedTls | undefined): Pick<TransportOptions, 'insecure'> {
  return tls === undefined ? {} : { insecure: true };
}

/**
 * Prepares TLS by the flags; undefined for plain HTTP.
 * @throws AuthcliError `usage` for faults of TLS without --tls
 */
export async function openTls(
  options: Listening,
  session: Session,
): Promise<OpenedTls | undefined> {
  const faults = options.fault.filter(isTlsFault);
  if (options.tls) return openIdentity(options.host, faults, session);
  const [fault] = faults;
  if (fault !== undefined) throw usage(`--fault ${fault} needs --tls.`, 'Add --tls.');
  return undefined;
}

/**
 * The options of a request to `url`, which may go to another command of this profile: its CA is trusted beside `ca`.
 * @throws AuthcliError `usage` for a `ca` that can't be read
 */
export async function trustOwnAuthority<Options extends Pick<TransportOptions, 'ca'>>(
  options: Options,
  url: URL,
  session: Session,
): Promise<Options> {
  const stored = url.protocol === 'https:' ? (await session.state()).localTls.read() : undefined;
  if (stored === undefined) return options;
  const given = options.ca === undefined ? [] : readCertificates(options.ca);
  return { ...options, ca: [...given, stored.authority.certificate].join('\n') };
}

async function openIdentity(
  host: string,
  faults: readonly TlsFaultName[],
  session: Session,
): Promise<OpenedTls> {
  const { now, randomBytes, generateKeyPair } = session.context;
  const { localTls: store } = await session.state();
  const tools = { store, now, randomBytes, generateKeyPair: () => generateKeyPair(2048) };
  const before = store.read()?.authority.certificate;
  const ownName = readHostName(host);
  if (ownName === undefined)
    throw usage(
      `${quote(host)} is neither a host name nor an IP address.`,
      'Write it without scheme, port and path: app.test, *.app.test, 192.168.1.20 or ::1.',
    );
  // On all addresses of this machine it listens under each of them, and under its name.
  const isEverywhere = ['0.0.0.0', '::'].includes(host);
  const own = session.context.machineNames().flatMap((name) => readHostName(name) ?? []);
  const names = isEverywhere ? own.filter(isPermitted) : [ownName];
  const local = await localServer(names, tools);
  const { certificate } = local.authority;
  if (before === undefined) {
    session.note('made a local CA for this profile; nothing trusts it until you configure it');
  } else if (before !== certificate) {
    session.warn(
      `the local CA had expired, or was about to, and was replaced: make your programs trust the new one, which is valid until ${new X509Certificate(certificate).validTo}`,
    );
  }
  const server = faults.length === 0 ? local.server : await faultyServer(faults, local, tools);
  return { server, authorityFile: store.authorityFile };
}

/** For the first line of events of a command that listens. */
export function tlsEvent({ server, authorityFile }: OpenedTls) {
  const { validTo } = new X509Certificate(server.certificate);
  const trust: Record<string, readonly string[]> = {};
  for (const [name, ...lines] of trustRows(authorityFile)) trust[name.toLowerCase()] = lines;
  return {
    names: namesOf(server.certificate),
    valid_to: new Date(validTo).toISOString(),
    ca_file: authorityFile,
    trust,
  };
}

/** The rows that describe it. */
export function tlsRows({ server, authorityFile }: OpenedTls): readonly [string, string][] {
  const { validTo } = new X509Certificate(server.certificate);
  const names = namesOf(server.certificate).join(', ');
  const day = new Date(validTo).toISOString().slice(0, 10);
  const until = `${names}, valid until ${day}`;
  return [
    ['certificate', escapeControls(until)],
    ['CA', escapeControls(authorityFile)],
  ];
}

/** How other programs are made to trust the CA. */
export function trustText({ authorityFile }: OpenedTls, { style }: Session): readonly string[] {
  const rows = trustRows(authorityFile).flatMap(([name, ...lines]) =>
    lines.map((line, index) => [index === 0 ? name : '', line] as const),
  );
  return ['', 'To make a program trust its CA:', ...fields(rows, style)];
}

/** Each program, and the lines that make it trust a CA. Nothing here changes the system's own store. */
function trustRows(file: string): readonly (readonly [name: string, ...lines: string[]])[] {
  const path = shellWord(file);
  const store = 'authcli-ca.p12';
  return [
    ['authcli', `--ca ${path}`],
    ['curl', `curl --cacert ${path}`],
    ['Node', `export NODE_EXTRA_CA_CERTS=${path}`],
    ['Python', `export SSL_CERT_FILE=${path} REQUESTS_CA_BUNDLE=${path}`],
    [
      'Java',
      `keytool -importcert -noprompt -alias authcli -file ${path} -keystore ${store} -storepass changeit`,
      `java -Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`,
    ],
  ];
}

/** The words with which authcli trusts it. */
export function tlsWords(tls: OpenedTls | undefined): readonly string[] {
  return tls === undefined ? [] : ['--ca', tls.authorityFile];
}

/** What makes a child trust the CA: authcli and Node, which trust it beside the others. */
export function tlsEnvironment(
  tls: OpenedTls | undefined,
  { context }: Session,
): Readonly<Record<string, string>> {
  if (tls === undefined) return {};
  const file = tls.authorityFile;
  const other = (context.env.NODE_EXTRA_CA_CERTS ?? '') !== '';
  return { AUTHCLI_CA: file, ...(!other && { NODE_EXTRA_CA_CERTS: file }) };
}

/** The CA of a profile, and the certificate with which its emulators listen. */
export interface LocalTls {
  readonly authority: Identity;
  readonly server?: Identity | undefined;
}

/** Where it is stored. */
interface LocalTlsStore {
  read(): LocalTls | undefined;
  isPublished(stored: LocalTls): boolean;
  /** One at a time, over all processes. */
  change(next: (before: LocalTls | undefined) => Promise<LocalTls>): Promise<LocalTls>;
}

interface LocalTlsTools {
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
    if (refused !== undefined)
      throw usage(
        `The local CA does not sign for ${refused.name}: only for this machine, private addresses, and names below localhost, test, example, local, internal, home.arpa and lan.`,
        'Listen on one of these.',
      );
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
function namesOf(certificate: string): readonly string[] {
  const text = new X509Certificate(certificate).subjectAltName ?? '';
  return text.split(', ').flatMap((entry) => {
    const name = readHostName(entry.replace(/^(?:DNS|IP Address):/, ''))?.name;
    return name === undefined ? [] : [name];
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
