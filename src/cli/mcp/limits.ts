import { realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { Transport } from '../../client/exchange.ts';
import { chooseProxy, portOf } from '../../client/route.ts';
import { isLoopback } from '../../protocol/endpoints.ts';
import { quote } from '../args/values.ts';
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';

/** What the calls of an agent may reach, as the user allowed it at the start; by default loopback alone. */
export interface Limits {
  /** `app.example.com`, or with a port `app.example.com:8443`. */
  readonly hosts: readonly string[];
  /** Real paths of folders whose files may be read. */
  readonly folders: readonly string[];
  /** Environment variables that calls may refer to, beside those of authcli. */
  readonly variables: readonly string[];
}

/** A host as URLs have it; throws `usage` for anything else. */
export function allowedHost(text: string): string {
  const isBare = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/i.test(text);
  if (isBare && URL.canParse(`http://${text}`)) {
    const { host, hostname } = new URL(`http://${text}`);
    // A URL of http drops the port 80.
    return text.endsWith(':80') ? `${hostname}:80` : host;
  }
  throw usage(
    `${quote(text)} is not a host.`,
    'Write app.example.com, or app.example.com:8443 for that port alone.',
  );
}

/** The real path of a folder; throws `usage` for anything else. */
export function allowedFolder(text: string, cwd: string): string {
  const path = realPath(resolve(cwd, text));
  if (path !== undefined && statSync(path).isDirectory()) return path;
  throw usage(`${quote(text)} is not a folder.`, 'Name a folder that exists.');
}

/** Throws `usage` for a URL that calls may not reach. */
export function refuseHost(url: URL, { hosts }: Pick<Limits, 'hosts'>): void {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (isLoopback(url) || hosts.includes(url.hostname)) return;
  if (hosts.includes(`${url.hostname}:${port}`)) return;
  throw usage(
    `Tools reach loopback alone, not ${quote(url.host)}.`,
    `The user can allow the host: start the server with --allow-host ${url.host}.`,
  );
}

/**
 * Opens transports that send to no other host, whatever asks them to: what is checked is what is connected to. Addresses
 * for names, a proxy and --insecure that come from the profile or a variable count only within that.
 */
export function limitedTransport(
  openTransport: Context['openTransport'],
  limits: Pick<Limits, 'hosts'>,
): Context['openTransport'] {
  return async (options) => {
    const { resolve: _, insecure: __, proxy, ...others } = options;
    const proxyFor = chooseProxy(proxy);
    /** One for each host. */
    const opened = new Map<string, Promise<Transport>>();
    const open = (url: URL) => {
      if (!isLoopback(url)) return openTransport({ ...others, proxy });
      const resolve = { host: url.hostname, port: Number(portOf(url)), addresses: loopback };
      return openTransport({ ...others, resolve: [resolve] });
    };
    const send: Transport['send'] = async (request, ...more) => {
      const { url } = request;
      refuseHost(url, limits);
      const through = isLoopback(url) ? undefined : proxyFor(url);
      if (through) refuseHost(through.url, limits);
      const transport = opened.get(url.host) ?? open(url);
      opened.set(url.host, transport);
      return (await transport).send(request, ...more);
    };
    const close = async () => {
      for (const transport of opened.values()) await (await transport).close();
    };
    return { send, close };
  };
}

/** Of `localhost`, which isn't looked up. */
const loopback = ['127.0.0.1', '::1'];

/** The real path of a file that a call names; throws `usage` outside the allowed folders. */
export function allowedFile(
  text: string,
  source: string,
  { folders }: Pick<Limits, 'folders'>,
  cwd: string,
): string {
  const path = realPath(resolve(cwd, text));
  const isWithin = folders.some((folder) =>
    path?.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`),
  );
  // One message for what is missing and what is not allowed: what exists elsewhere is not for the agent to find out.
  if (path !== undefined && isWithin && statSync(path).isFile()) return path;
  throw usage(
    `${source}: ${quote(text)} is not a file in a folder that tools may read.`,
    folders.length === 0
      ? 'Give the content itself. The user can allow a folder: start the server with --allow-dir FOLDER.'
      : `Tools may read files in ${folders.join(', ')}.`,
  );
}

/** Throws `usage` for a variable that calls may not refer to. */
export function refuseVariable(name: string, source: string, { variables }: Limits): void {
  if (name.startsWith('AUTHCLI_') || variables.includes(name)) return;
  throw usage(
    `${source}: tools may not read the environment variable ${quote(name)}.`,
    'The user can allow it: start the server with --allow-env NAME. Variables that begin with AUTHCLI_ are allowed.',
  );
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // not there, or not to be entered
  }
}
