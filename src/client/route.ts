import type { OnReadOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Client } from 'undici';
import { type Addresses, lookedUp } from './addresses.ts';
import type { Cancellation } from './cancellation.ts';
import { openTcp, openTls } from './connect.ts';
import type { Headers } from './exchange.ts';
import { type Progress, toWireFailure, WireFailure } from './progress.ts';
import { type ProxyServer, portOf } from './proxy.ts';
import type { TlsSettings } from './tls-options.ts';

/** The way to a target: directly, or by a proxy. */
export interface Route {
  readonly target: URL;
  readonly proxy?: ProxyServer;
  readonly tls: TlsSettings;
  /** What stands in for names, the target's and the proxy's. */
  readonly addresses: Addresses;
  /** What stands in the request line (RFC 9112 3.2): whole for a proxy that forwards. */
  readonly requestTarget: string;
  /** Ways with the same key can share a connection. */
  readonly key: string;
}

/** The way to `target`. */
export function createRoute(
  target: URL,
  proxy: ProxyServer | undefined,
  tls: TlsSettings,
  addresses: Addresses = lookedUp,
): Route {
  const path = `${target.pathname}${target.search}`;
  const forwarded = proxy !== undefined && target.protocol === 'http:';
  return {
    target,
    proxy,
    tls,
    addresses,
    requestTarget: forwarded ? `${target.origin}${path}` : path,
    key: `${proxy?.url.origin ?? ''} ${target.origin}`,
  };
}

/** The largest head of an answer that is read, as Node has it. */
export const maxHeadBytes = 16 * 1024;

/**
 * How much more than the body an answer may take: informational answers, the framing of chunks
 * (six bytes for one, at the worst), their extensions and trailers, which no other limit counts.
 */
export const maxOverheadBytes = 1024 * 1024;
export const maxFramingFactor = 8;

/** Whether the proxy passes the request on itself (RFC 9112 3.2.2) instead of opening a tunnel. */
export function isForwarded({ target, proxy }: Route): boolean {
  return proxy !== undefined && target.protocol === 'http:';
}

/** Whether HTTP is spoken over bare TCP, to the target or to a proxy. */
export function isBare({ target, proxy }: Route): boolean {
  return target.protocol === 'http:' && proxy?.url.protocol !== 'https:';
}

/**
 * Opens what HTTP is then spoken over; rejects with a WireFailure.
 * @param onread reads in place of the socket's events; not for a way with TLS, where it can't
 */
export async function openRoute(
  route: Route,
  progress: Progress,
  signal: Cancellation,
  onread?: OnReadOpts,
): Promise<Socket> {
  const { target, proxy, addresses } = route;
  progress.fresh = true;
  progress.atProxy = proxy !== undefined;
  if (proxy === undefined) {
    const socket = await openTcp(target, addresses, progress, signal, onread);
    return target.protocol === 'https:' ? securely(route, socket, progress, signal) : socket;
  }
  const socket = await openProxy(proxy.url, route, progress, signal, onread);
  if (isForwarded(route)) return socket;
  const tunnel = await openTunnel(socket, proxy, target, progress, signal);
  progress.atProxy = false;
  return securely(route, tunnel, progress, signal);
}

function securely(
  { target, tls }: Route,
  socket: Socket,
  progress: Progress,
  signal: Cancellation,
): Promise<Socket> {
  const settings = { url: target, context: tls.targetContext(), insecure: tls.insecure };
  return openTls(socket, settings, progress, signal);
}

/** The client certificate and `insecure` are meant for the target: a proxy has neither. */
async function openProxy(
  url: URL,
  { tls, addresses }: Route,
  progress: Progress,
  signal: Cancellation,
  onread: OnReadOpts | undefined,
): Promise<Socket> {
  const socket = await openTcp(url, addresses, progress, signal, onread);
  if (url.protocol === 'http:') return socket;
  return openTls(socket, { url, context: tls.proxyContext(), insecure: false }, progress, signal);
}

/** Asks the proxy for a tunnel (RFC 9110 9.3.6). */
async function openTunnel(
  socket: Socket,
  proxy: ProxyServer,
  target: URL,
  progress: Progress,
  signal: Cancellation,
): Promise<Socket> {
  progress.step('proxy');
  const authority = `${target.hostname}:${portOf(target)}`;
  const client = new Client(proxy.url, {
    connect: (_, callback) => queueMicrotask(() => callback(null, socket)), // never synchronously
    maxHeaderSize: maxHeadBytes,
    headersTimeout: 0,
  });
  try {
    const headers = Object.fromEntries([['host', authority], ...credentials(proxy)]);
    const answer = await client.connect({
      path: authority,
      headers,
      signal: signal as AbortSignal, // of which undici uses no more
    });
    if (answer.statusCode < 200 || answer.statusCode > 299) {
      answer.socket.destroy();
      throw new WireFailure({ proxyStatus: answer.statusCode });
    }
    progress.end('proxyMs');
    return asSocket(answer.socket);
  } catch (error) {
    socket.destroy();
    throw toWireFailure(error);
  } finally {
    void client.destroy(); // a socket that has become a tunnel is no longer the client's
  }
}

/** The header that lets a proxy know who asks. */
export function credentials(proxy: ProxyServer | undefined): Headers {
  const value = proxy?.authorization?.reveal();
  return value === undefined ? [] : [['proxy-authorization', value]];
}

/** undici hands back the very socket that it was given, under the type of any stream. */
function asSocket(stream: Duplex): Socket {
  return stream as Socket;
}
