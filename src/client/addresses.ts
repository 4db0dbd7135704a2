import { isIP } from 'node:net';
import { AuthcliError } from '../errors.ts';

/** Addresses to use for a host and port instead of looking its name up. */
export interface AddressOverride {
  /** A name in lower case, or `*` for every one. */
  readonly host: string;
  readonly port: number;
  /** IPv4 or IPv6, without brackets; tried in this order. */
  readonly addresses: readonly string[];
}

/** The addresses given for a host and port; undefined where its name is to be looked up. */
export type Addresses = (host: string, port: string) => readonly string[] | undefined;

export const noOverride: Addresses = () => undefined;

/** Reads the overrides once: the last one for a host and port counts, and a name more than `*`. */
export function chooseAddresses(overrides: readonly AddressOverride[] = []): Addresses {
  const known = new Map(
    overrides.map(({ host, port, addresses }) => [`${host}:${port}`, addresses]),
  );
  return (host, port) => known.get(`${nameOf(host)}:${port}`) ?? known.get(`*:${port}`);
}

/** A host in lower case without the dot of a fully qualified name. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/**
 * Reads `HOST:PORT:ADDR` as curl's `--resolve` does: several addresses separated by commas, IPv6 in
 * brackets or without, `*` for every host.
 * @throws AuthcliError `usage` for anything else
 */
export function parseAddressOverride(text: string): AddressOverride {
  const [, host = '', port = '', list = ''] = /^([^:]*):(\d{1,5}):(.+)$/.exec(text.trim()) ?? [];
  const addresses = list.split(',').map((address) => address.trim().replace(/^\[(.*)\]$/, '$1'));
  const name = nameOf(host);
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  const isName = /^[a-z0-9._-]+$/.test(name) && URL.canParse(`http://${name}/`);
  const isHost = isIP(name) === 0 && (name === '*' || isName); // an address needs no override
  // a zone (`%eth0`) names an interface of one machine only
  const areAddresses = addresses.every((text) => isIP(text) !== 0 && !text.includes('%'));
  if (isHost && isPort && areAddresses) return { host: name, port: Number(port), addresses };
  throw new AuthcliError('usage', `${JSON.stringify(text.slice(0, 100))} is not HOST:PORT:ADDR.`, {
    hint: 'Write a name, a port and an address: app.example.com:443:127.0.0.1, or …:443:[::1]; * means every name.',
  });
}

export function formatAddressOverride({ host, port, addresses }: AddressOverride): string {
  const list = addresses.map((address) => (address.includes(':') ? `[${address}]` : address));
  return `${host}:${port}:${list.join(',')}`;
}
