import type { Socket } from 'node:net';
import { Client } from 'undici';
import { type Addresses, chooseAddresses, noOverride } from './addresses.ts';
import { openTcp, openTls } from './connect.ts';
import type { Headers } from './exchange.ts';
import { type Progress, toWireFailure, WireFailure } from './progress.ts';
import { chooseProxy, type ProxyServer, portOf } from './proxy.ts';
import { createTlsSettings, type TlsSettings } from './tls-options.ts';
import type { TransportOptions } from './transport-options.ts';

/** The route to a target: directly, or through a proxy. */
export interface Route {
  readonly target: URL;
  readonly proxy?: ProxyServer;
  readonly tls: TlsSettings;
  /** Addresses to use instead of look-ups, of the target and of the proxy. */
  readonly addresses: Addresses;
  /** The target in the request line (RFC 9112 3.2): the whole URL for a proxy that forwards. */
  readonly requestTarget: string;
  /** Routes with the same key can share a connection. */
  readonly key: string;
}

/** The route to one URL with settings that are read already. */
export function createRoute(
  target: URL,
  proxy: ProxyServer | undefined,
  tls: TlsSettings,
  addresses: Addresses = noOverride,
): Route {
  const path = `${target.pathname}${target.search}`;
  const requestTarget = isForwarded({ target, proxy }) ? `${target.origin}${path}` : path;
  return {
    target,
    proxy,
    tls,
    addresses,
    requestTarget,
    key: `${proxy?.url.origin ?? ''} ${target.origin}`,
  };
}

/**
 * The routes to the URLs of a run, which are few, each worked out once.
 * @throws AuthcliError `usage` for certificates and proxies that can't be used
 */
export function createRoutes(options: TransportOptions): (url: URL) => Route {
  const proxyFor = chooseProxy(options.proxy);
  const tls = createTlsSettings(options);
  const addresses = chooseAddresses(options.resolve);
  const known = new Map<string, Route>();
  return (url) => {
    const route = known.get(url.href) ?? createRoute(new URL(url), proxyFor(url), tls, addresses);
    if (known.size < 1000) known.set(url.href, route);
    return route;
  };
}

/** The largest status line and headers that are read, as in Node. */
export const maxHeaderBytes = 16 * 1024;

/** Whether the proxy passes the request on itself (RFC 9112 3.2.2) instead of opening a tunnel. */
export function isForwarded({ target, proxy }: Pick<Route, 'target' | 'proxy'>): boolean {
  return proxy !== undefined && target.protocol === 'http:';
}

/**
 * Opens the socket that HTTP is then spoken over; rejects with a WireFailure. undici's ProxyAgent
 * reports neither the status of a refused tunnel nor how far the connection had come.
 */
export async function openRoute(
  route: Route,
  progress: Progress,
  signal: AbortSignal,
): Promise<Socket> {
  const { target, proxy, tls, addresses } = route;
  const secure = (socket: Socket) => {
    const { insecure } = tls;
    return openTls(
      socket,
      { url: target, context: tls.targetContext(), insecure },
      progress,
      signal,
    );
  };
  progress.fresh = true;
  progress.atProxy = proxy !== undefined;
  if (proxy === undefined) {
    const socket = await openTcp(target, addresses, progress, signal);
    return target.protocol === 'https:' ? secure(socket) : socket;
  }
  const socket = await openProxy(proxy.url, route, progress, signal);
  if (isForwarded(route)) return socket;
  const tunnel = await openTunnel(socket, proxy, target, progress, signal);
  progress.atProxy = false;
  return secure(tunnel);
}

/** The client certificate and `insecure` are for the target: a proxy gets neither. */
async function openProxy(
  url: URL,
  { tls, addresses }: Route,
  progress: Progress,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = await openTcp(url, addresses, progress, signal);
  if (url.protocol === 'http:') return socket;
  return openTls(socket, { url, context: tls.proxyContext(), insecure: false }, progress, signal);
}

/** Asks the proxy for a tunnel (RFC 9110 9.3.6). */
async function openTunnel(
  socket: Socket,
  proxy: ProxyServer,
  target: URL,
  progress: Progress,
  signal: AbortSignal,
): Promise<Socket> {
  progress.step('proxy');
  const authority = `${target.hostname}:${portOf(target)}`;
  const client = new Client(proxy.url, {
    connect: (_, callback) => queueMicrotask(() => callback(null, socket)), // never synchronously
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0,
  });
  try {
    const headers = Object.fromEntries([['host', authority], ...credentials(proxy)]);
    const request = { path: authority, headers, signal };
    const { statusCode, socket: tunnel } = await client.connect(request);
    if (statusCode < 200 || statusCode > 299) {
      tunnel.destroy();
      throw new WireFailure({ proxyStatus: statusCode });
    }
    progress.end('proxyMs');
    return tunnel as Socket; // undici returns the very socket that it was given
  } catch (error) {
    socket.destroy();
    throw toWireFailure(error);
  } finally {
    void client.destroy(); // a socket that has become a tunnel is no longer the client's
  }
}

/** The header that authenticates the client to a proxy. */
export function credentials(proxy: ProxyServer | undefined): Headers {
  const value = proxy?.authorization?.reveal();
  return value === undefined ? [] : [['proxy-authorization', value]];
}
