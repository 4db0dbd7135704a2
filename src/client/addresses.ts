import { AuthcliError } from '../errors.ts';

/** Addresses to use for a host and port instead of looking its name up. */
export interface AddressOverride {
  /** A name in small letters, or `*` for every one. */
  readonly host: string;
  readonly port: number;
  /** IPv4 or IPv6, without brackets; tried in this order. */
  readonly addresses: readonly string[];
}

/** What a connection is made to instead of the name in a URL. */
export interface Addresses {
  /** The addresses that stand in for a name; undefined where it is to be looked up. */
  (host: string, port: string): readonly string[] | undefined;
  /** The path of the Unix socket that stands in for every name. */
  readonly socketPath?: string;
}

/** Every name is looked up. */
export const lookedUp: Addresses = () => undefined;

/** Everything goes to the Unix socket of that path. */
function throughSocket(path: string): Addresses {
  return Object.assign(() => undefined, { socketPath: path });
}

/**
 * What stands in for names: a Unix socket for all of them, or addresses for some.
 * @throws AuthcliError `usage` for a path that no socket can have
 */
export function chooseWay({
  unixSocket,
  resolve,
}: {
  readonly unixSocket?: string;
  readonly resolve?: readonly AddressOverride[];
}): Addresses {
  if (unixSocket === undefined) return chooseAddresses(resolve);
  checkSocketPath(unixSocket);
  return throughSocket(unixSocket);
}

/** The system cuts longer ones, and would lead somewhere else (sun_path of unix(7): 108 bytes with its end; 104 on macOS). */
const mostPathBytes = 103;

function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= mostPathBytes && !path.includes('\0')) return;
  throw new AuthcliError(
    'usage',
    `The path of the Unix socket has ${bytes} bytes; it may have ${mostPathBytes}.`,
    { hint: 'Give a shorter path, such as one by a link in /tmp.' },
  );
}

/** Reads the overrides once: the last one for a host and port counts, and a name more than `*`. */
export function chooseAddresses(overrides: readonly AddressOverride[] = []): Addresses {
  if (overrides.length === 0) return lookedUp;
  const known = new Map(
    overrides.map(({ host, port, addresses }) => [`${host}:${port}`, addresses]),
  );
  return (host, port) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    return known.get(`${name}:${port}`) ?? known.get(`*:${port}`);
  };
}

/**
 * Reads `HOST:PORT:ADDR`, as curl's option of that name has it: several addresses with commas
 * between them, IPv6 in brackets or without, `*` for every host.
 * @throws AuthcliError `usage` for anything else
 */
export function parseAddressOverride(text: string): AddressOverride {
  const [, host = '', port = '', list = ''] = /^([^:]*):(\d{1,5}):(.+)$/.exec(text.trim()) ?? [];
  const addresses = list.split(',').map((address) => address.trim().replace(/^\[(.*)\]$/, '$1'));
  const name = host.toLowerCase().replace(/\.$/, '');
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  if (isHost(name) && isPort && addresses.every((address) => isAddress(address))) {
    return { host: name, port: Number(port), addresses };
  }
  throw new AuthcliError('usage', `${JSON.stringify(text.slice(0, 100))} is no HOST:PORT:ADDR.`, {
    hint: 'Write a name, a port and an address: app.example.com:443:127.0.0.1, or …:443:[::1]; * stands for every name.',
  });
}

/** A name or `*`; an address needs no other. */
function isHost(name: string): boolean {
  if (isAddress(name)) return false;
  return name === '*' || (/^[a-z0-9._-]+$/.test(name) && URL.canParse(`http://${name}/`));
}

/** The override as {@link parseAddressOverride} reads it. */
export function formatAddressOverride({ host, port, addresses }: AddressOverride): string {
  const list = addresses.map((address) => (address.includes(':') ? `[${address}]` : address));
  return `${host}:${port}:${list.join(',')}`;
}

/** IPv4 in four parts or IPv6, told by the parser of URLs: `node:net` costs more to load than it. */
function isAddress(text: string): boolean {
  const host = text.includes(':') ? `[${text}]` : text;
  if (!/^[\d.]+$|^\[[\da-f:.]+\]$/i.test(host) || !URL.canParse(`http://${host}/`)) return false;
  return host.startsWith('[') || new URL(`http://${host}/`).hostname === host;
}
