import { X509Certificate } from 'node:crypto';
import type { TransportOptions } from '../../client/transport-options.ts';
import { readCertificates } from '../../client/transport-options.ts';
import { readHostName } from '../../crypto/host-names.ts';
import { isTlsFault, type TlsFaultName } from '../../emulator/faults/tls.ts';
import type { ServerTls } from '../../emulator/tls.ts';
import { fields } from '../../reports/human.ts';
import { escapeControls, shellWord } from '../../text.ts';
import { flag } from '../args/options.ts';
import { quote } from '../args/values.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { faultyServer, localServer, namesOf, permittedOf } from './local-tls.ts';

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
  const names = isEverywhere ? permittedOf(session.context.machineNames()) : [ownName];
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
