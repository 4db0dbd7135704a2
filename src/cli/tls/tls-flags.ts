import { type HostName, readHostName } from '../../crypto/host-names.ts';
import { type OptionsOf, toggle } from '../args/options.ts';
import { quote } from '../args/values.ts';
import { usage } from '../failure.ts';

/** What every command that listens takes. */
export const tlsFlags = {
  tls: toggle('--tls', 'listen with https, with a certificate of the local CA of this profile'),
} as const;

export type TlsFlagOptions = OptionsOf<typeof tlsFlags>;

/** A DNS name or an IP address. */
export function hostName(text: string): HostName {
  const host = readHostName(text);
  if (host !== undefined) return host;
  throw usage(
    `${quote(text)} is neither a host name nor an IP address.`,
    'Write it without scheme, port and path: app.test, *.app.test, 192.168.1.20 or ::1.',
  );
}
