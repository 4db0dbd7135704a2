/** A name or address of a server, as a certificate contains it (RFC 5280 4.2.1.6). */
export type HostName =
  | { readonly kind: 'dns'; readonly name: string }
  | { readonly kind: 'ip'; readonly name: string; readonly bytes: Uint8Array };

/** Reads a DNS name or an IP address, IPv6 with or without brackets; undefined for anything else. */
export function readHostName(text: string): HostName | undefined {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  const bytes = addressBytes(address);
  if (bytes !== undefined) {
    const canonical = bytes.length === 4 ? bytes.join('.') : canonicalOf(address);
    return { kind: 'ip', name: canonical, bytes };
  }
  const name = text.toLowerCase();
  const label = '(?!-)[a-z0-9-]{1,63}(?<!-)';
  const isName = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`).test(name);
  return isName && name.length <= 253 && !/^[\d.]+$/.test(name) ? { kind: 'dns', name } : undefined;
}

/** Names that are reserved (RFC 2606, 6761, 6762, 8375) or for private use (ICANN: internal). */
const reservedNames = ['localhost', 'test', 'example', 'local', 'internal', 'home.arpa', 'lan'];
/** Loopback, private and link-local addresses (RFC 1122, 1918, 3927, 4193, 4291). */
const privateRanges = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

/** What a CA may sign for (RFC 5280 4.2.1.10), names with those below them: only this machine and private networks. */
export const permittedNames = { dns: reservedNames, ip: privateRanges.map(readRange) };

/** Whether the local CA may sign for `host`. */
export function isPermitted(host: HostName): boolean {
  const { dns, ip } = permittedNames;
  if (host.kind === 'dns') {
    const name = host.name.replace(/^\*\./, '');
    return dns.some((base) => name === base || name.endsWith(`.${base}`));
  }
  return ip.some(
    ({ network, mask }) =>
      network.length === host.bytes.length &&
      network.every((byte, index) => byte === ((host.bytes[index] ?? 0) & (mask[index] ?? 0))),
  );
}

/** The network and its mask, which the constraint of an address contains one after the other. */
function readRange(text: string) {
  const [address = '', prefix] = text.split('/');
  const network = addressBytes(address) ?? new Uint8Array();
  const bitsOf = (index: number) => Math.min(8, Math.max(0, Number(prefix) - 8 * index));
  return { network, mask: network.map((_, index) => 0xff00 >> bitsOf(index)) };
}

function addressBytes(text: string): Uint8Array | undefined {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) {
    const parts = text.split('.').map(Number);
    return parts.every((part) => part < 256) ? Uint8Array.from(parts) : undefined;
  }
  if (!text.includes(':') || !URL.canParse(`http://[${text}]`)) return undefined;
  const [head = [], tail = []] = canonicalOf(text)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  const groups = [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function canonicalOf(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
