import { X509Certificate } from 'node:crypto';
import { readCertificates } from '../../client/tls-options.ts';
import type { TransportOptions } from '../../client/transport-options.ts';
import type { HostName } from '../../crypto/host-names.ts';
import { isTlsFault, type TlsFaultName } from '../../emulator/faults/tls.ts';
import type { ServerTls } from '../../emulator/tls.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { faultyServer, localServer, permittedOf } from './local-tls.ts';
import { hostName, type TlsFlagOptions } from './tls-flags.ts';

interface Listening extends TlsFlagOptions {
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
  const local = await localServer(listeningNames(host, session), tools);
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

/** On all addresses of this machine it listens under each of them, and under its name. */
function listeningNames(host: string, { context }: Session): readonly HostName[] {
  return ['0.0.0.0', '::'].includes(host) ? permittedOf(context.machineNames()) : [hostName(host)];
}
