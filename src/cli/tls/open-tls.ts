import { faultyServer, permittedOf } from '../../app/local-tls.ts';
import type { HostName } from '../../crypto/host-names.ts';
import { isTlsFault, type TlsFaultName } from '../../emulator/faults/tls.ts';
import type { ServerTls } from '../../emulator/tls.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { openLocalServer, toolsOf } from './local-authority.ts';
import { hostName, type TlsFlagOptions } from './tls-flags.ts';

interface Listening extends TlsFlagOptions {
  readonly host: string;
  /** With those that aren't of TLS. */
  readonly fault: readonly string[];
}

/** With what a command listens. */
export interface OpenedTls {
  readonly server: ServerTls;
  /** What clients are to trust; absent for a given certificate. */
  readonly authorityFile?: string;
}

/**
 * Prepares TLS by the flags; undefined for plain HTTP.
 * @throws AuthcliError `usage` for flags that can't go together, and certificates that can't be used
 */
export async function openTls(
  options: Listening,
  session: Session,
): Promise<OpenedTls | undefined> {
  const { tls, tlsCert, tlsKey, tlsName, clientCa: given } = options;
  const faults = options.fault.filter(isTlsFault);
  requirePairs(options, faults);
  if (!tls && tlsCert === undefined) return undefined;
  const { readClientCa, readGivenCertificate } = await import('./given-certificate.ts');
  const clientCa = given && readClientCa(given);
  if (tlsCert !== undefined && tlsKey !== undefined) {
    const identity = readGivenCertificate(tlsCert, tlsKey, session.context.now());
    return { server: { ...identity, clientCa, oldProtocol: faults.length > 0 } };
  }
  const names = [...listeningNames(options.host, session), ...tlsName];
  const local = await openLocalServer(names, session);
  const { authorityFile } = (await session.state()).localTls;
  const server =
    faults.length === 0 ? local.server : await faultyServer(faults, local, await toolsOf(session));
  return { server: { ...server, clientCa }, authorityFile };
}

function requirePairs(
  { tls, tlsCert, tlsKey, tlsName, clientCa }: Listening,
  faults: readonly TlsFaultName[],
): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const [given, missing] = tlsCert === undefined ? ['key', 'cert'] : ['cert', 'key'];
    throw usage(`--tls-${given} needs --tls-${missing}.`, `Add --tls-${missing} FILE.`);
  }
  const [fault] = faults;
  const needing = clientCa !== undefined ? '--client-ca' : fault && `--fault ${fault}`;
  if (!tls && tlsCert === undefined) {
    const needed = tlsName.length > 0 ? '--tls-name' : needing;
    if (needed !== undefined) throw usage(`${needed} needs --tls.`, 'Add --tls.');
    return;
  }
  if (tlsCert === undefined) return;
  const local = tlsName.length > 0 ? '--tls-name' : undefined;
  const made = faults.find((name) => name !== 'tls-version');
  const unfit = local ?? (made && `--fault ${made}`);
  if (unfit === undefined) return;
  throw usage(
    `${unfit} needs a certificate that authcli makes.`,
    'Leave --tls-cert and --tls-key out, and use --tls.',
  );
}

/** On all addresses of this machine it listens under each of them, and under its name. */
function listeningNames(host: string, { context }: Session): readonly HostName[] {
  return ['0.0.0.0', '::'].includes(host) ? permittedOf(context.machineNames()) : [hostName(host)];
}
