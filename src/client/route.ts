import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectNet, isIP, type LookupFunction, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { Client } from 'undici';
import { Secret } from '../crypto/secret.ts';
import type { CertificateFacts, ConnectionFacts } from '../diagnosis/connection.ts';
import { AuthcliError } from '../errors.ts';
import { keepingLatest } from '../latest-results.ts';
import { isLoopback } from '../protocol/endpoints.ts';
import { type Addresses, chooseAddresses } from './addresses.ts';
import type { Headers } from './exchange.ts';
import { Progress, toWireFailure, WireFailure } from './progress.ts';
import {
  createTlsSettings,
  type ProxyOptions,
  type TlsSettings,
  type TransportOptions,
} from './transport-options.ts';

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

/**
 * The routes to the URLs of a run, which are few, each worked out once.
 * @throws AuthcliError `usage` for certificates and proxies that can't be used
 */
export function createRoutes(options: TransportOptions): (url: URL) => Route {
  const proxyFor = chooseProxy(options.proxy);
  const tls = createTlsSettings(options);
  const addresses = chooseAddresses(options.resolve);
  const routeTo = keepingLatest(1000, (href: string): Route => {
    const target = new URL(href);
    const proxy = proxyFor(target);
    const path = `${target.pathname}${target.search}`;
    const requestTarget = isForwarded({ target, proxy }) ? `${target.origin}${path}` : path;
    const key = `${proxy?.url.origin ?? ''} ${target.origin}`;
    return { target, proxy, tls, addresses, requestTarget, key };
  });
  return ({ href }) => routeTo(href);
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
export async function openRoute(route: Route, progress: Progress): Promise<Socket> {
  const { target, proxy, tls, addresses } = route;
  const secure = (socket: Socket) => {
    const { insecure } = tls;
    return openTls(socket, { url: target, context: tls.targetContext(), insecure }, progress);
  };
  progress.fresh = true;
  progress.atProxy = proxy !== undefined;
  if (proxy === undefined) {
    const socket = await openTcp(target, addresses, progress);
    return target.protocol === 'https:' ? secure(socket) : socket;
  }
  const plain = await openTcp(proxy.url, addresses, progress);
  // The client certificate and `insecure` are for the target: a proxy gets neither.
  const proxyTls = { url: proxy.url, context: tls.proxyContext(), insecure: false };
  const isPlain = proxy.url.protocol === 'http:';
  const socket = isPlain ? plain : await openTls(plain, proxyTls, progress);
  if (isForwarded(route)) return socket;
  const tunnel = await openTunnel(socket, proxy, target, progress);
  progress.atProxy = false;
  return secure(tunnel);
}

/** Asks the proxy for a tunnel (RFC 9110 9.3.6). */
async function openTunnel(
  socket: Socket,
  proxy: ProxyServer,
  target: URL,
  progress: Progress,
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
    const request = { path: authority, headers, signal: progress.signal };
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

/**
 * Opens a TCP connection to the host and port of `url`, or to the addresses given for them; rejects
 * with a WireFailure, also when `signal` is aborted (the transport knows why). undici's connector
 * hands a socket out only once it is connected: its look-up could neither be timed nor interrupted.
 */
export async function openTcp(url: URL, addresses: Addresses, progress: Progress): Promise<Socket> {
  const host = unbracket(url.hostname);
  const port = portOf(url);
  progress.step(isIP(host) === 0 ? 'lookup' : 'connect');
  const given = addresses(host, port);
  const lookup = given && lookUpIn(given);
  const socket = connectNet({ host, port: Number(port), noDelay: true, keepAlive: true, lookup });
  socket.on('lookup', (error: Error | null) => {
    if (error === null && progress.phase === 'lookup') progress.step('connect', 'lookupMs');
  });
  await settle(socket, 'connect', progress.signal);
  progress.end('connectMs');
  return socket;
}

function lookUpIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    // Never synchronously: the socket has no listeners yet.
    queueMicrotask(() => {
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}

/**
 * Performs the TLS handshake over `socket` and judges the peer's certificate. The verdict is Node's
 * own (`authorizationError`: the chain, then the name by RFC 9525); a socket that it refuses lives
 * until its certificates are read for the diagnosis, and nothing is sent before. Sessions aren't
 * resumed, so that every connection is judged.
 */
export async function openTls(
  socket: Socket,
  target: { readonly url: URL; readonly context: SecureContext; readonly insecure: boolean },
  progress: Progress,
): Promise<TLSSocket> {
  progress.step('tls');
  const host = unbracket(target.url.hostname);
  const secured = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '', // RFC 6066 3: no addresses in server_name
    secureContext: target.context,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
    checkServerIdentity: checkIdentity,
  });
  await settle(secured, 'secureConnect', progress.signal);
  progress.end('tlsMs');
  if (target.insecure || secured.authorized) return secured;
  const verifyCode = String(secured.authorizationError);
  const certificates = readPeerCertificates(secured);
  abandon(secured);
  throw new WireFailure({ verifyCode, certificates });
}

/**
 * Whether the certificate is for `host` (RFC 9525), as Node sees it; for an IPv6 address the
 * certificate itself is asked first, because Node 22.23 finds it in none.
 */
function checkIdentity(host: string, peer: PeerCertificate): Error | undefined {
  const isNamed = isIP(host) === 6 && new X509Certificate(peer.raw).checkIP(host) !== undefined;
  return isNamed ? undefined : checkServerIdentity(host, peer);
}

/** Waits for `event`, an error, an end or an abort, whichever comes first; but for the event, the socket is destroyed. */
function settle(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', fail).off('close', onClose);
    };
    const fail = (error: unknown) => {
      stop();
      abandon(socket);
      reject(toWireFailure(error));
    };
    const onAbort = () => fail(signal.reason);
    const onClose = () => fail(new WireFailure({ errorCode: 'ECONNRESET' }));
    socket.once('error', fail).once('close', onClose);
    socket.once(event, () => {
      stop();
      resolve();
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

function abandon(socket: Socket): void {
  socket.on('error', () => {}).destroy();
}

/** The certificates that the peer presented, its own first; at most ten, in case of a loop. */
export function readPeerCertificates(socket: TLSSocket): readonly CertificateFacts[] {
  const facts: CertificateFacts[] = [];
  const seen = new Set<object>();
  let current: Partial<PeerCertificate> & { issuerCertificate?: object } =
    socket.getPeerCertificate(true);
  while (current.subject !== undefined && !seen.has(current) && facts.length < 10) {
    seen.add(current);
    facts.push(factsOf(current));
    current = current.issuerCertificate ?? {};
  }
  return facts;
}

function factsOf(certificate: Partial<PeerCertificate>): CertificateFacts {
  // `DNS:a.example, IP Address:192.0.2.1`
  const names = (certificate.subjectaltname ?? '').matchAll(
    /(?:DNS|IP Address):("[^"]*"|[^,\s]+)/g,
  );
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    names: [...names].map(([, name = '']) => name.replaceAll('"', '')),
    validFrom: Date.parse(certificate.valid_from ?? ''),
    validTo: Date.parse(certificate.valid_to ?? ''),
  };
}

/** The common name, else the organisation, else the whole distinguished name. */
function nameOf(name: Partial<PeerCertificate['subject']> = {}): string {
  const parts = Object.entries(name).map(([type, value]) => `${type}=${value}`);
  return String(name.CN ?? name.O ?? parts.join(', '));
}

export interface ProxyServer {
  readonly url: URL;
  /** What named it. */
  readonly source?: string | undefined;
  /** The value of `Proxy-Authorization` (RFC 7617 2), where the URL has credentials. */
  readonly authorization?: Secret;
}

/**
 * Reads the proxy settings once: which proxy a URL goes through, undefined for none. undici's EnvHttpProxyAgent doesn't say which proxy it chose, which
 * routes and diagnoses need.
 * @throws AuthcliError `usage` for a proxy that is not an http or https URL; credentials are not repeated
 */
export function chooseProxy(options: ProxyOptions = {}): (target: URL) => ProxyServer | undefined {
  const http = readProxy(options.http, options.sources?.http);
  const https = readProxy(options.https, options.sources?.https);
  const rules = (options.noProxy?.toLowerCase().match(/[^\s,]+/g) ?? []).map(readRule);
  if (options.exceptsLoopback) rules.push(isLoopback);
  return (target) => {
    if (rules.some((rule) => rule(target))) return undefined;
    return target.protocol === 'https:' ? https : http;
  };
}

function readProxy(setting: string | undefined, source?: string): ProxyServer | undefined {
  const text = setting?.trim();
  if (!text) return undefined;
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    // Of a text that can't be parsed any part may be the password.
    const shown = url === undefined ? '' : ` ${url.protocol}//${url.host}`.slice(0, 100);
    throw new AuthcliError('usage', `The proxy${shown} is not an http or https URL.`, {
      hint: 'A proxy looks like http://proxy.example:3128.',
    });
  }
  const pair = `${decode(url.username)}:${decode(url.password)}`;
  const authorization = Secret.text(`Basic ${Buffer.from(pair, 'utf8').toString('base64')}`);
  const credentials = pair === ':' ? undefined : authorization;
  return { url: new URL(url.origin), source, authorization: credentials };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a lone percent sign is literal, as in other clients
  }
}

function readRule(entry: string): (target: URL) => boolean {
  if (entry === '*') return () => true;
  const [, host = entry, port] = /^([^:]*|\[.*\]):(\d+)$/.exec(entry) ?? [];
  const bare = unbracket(host);
  const suffix = /^\*?\./.test(bare) ? bare.replace(/^\*?\./, '') : undefined;
  return (target) => {
    if (port !== undefined && port !== portOf(target)) return false;
    const name = unbracket(target.hostname).replace(/\.$/, '');
    return suffix === undefined ? name === bare : name === suffix || name.endsWith(`.${suffix}`);
  };
}

/** A host without the brackets that a URL puts around an IPv6 address (RFC 3986 3.2.2). */
export function unbracket(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

export function portOf(url: URL): string {
  return url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
}

/** The longest wait for a server's reaction. */
const patienceMs = 500;

type Speaks = ConnectionFacts['speaks'];

/**
 * Finds out what a server speaks that cut the connection: plain HTTP where the TLS handshake failed,
 * or TLS where a plain request got no byte of a response. It asks on a connection of its own, without
 * a request: Node doesn't hand out the bytes that OpenSSL could not read, OpenSSL's errors for them
 * differ between its versions, and Node's own TLS server doesn't respond to a plain request at all.
 * Each server is asked at most once, and none that has responded.
 */
export class SpokenProtocols {
  readonly #known = new Map<string, Promise<Speaks>>();

  /** The target has responded as its URL says. */
  markResponded({ key }: Route): void {
    if (!this.#known.has(key)) this.#known.set(key, Promise.resolve(undefined));
  }

  /** What the server speaks instead of what the URL says; undefined if that can't be seen. */
  async find(facts: Partial<ConnectionFacts>, route: Route, progress: Progress): Promise<Speaks> {
    const { phase, atProxy, responded } = progress;
    const isJudged = facts.verifyCode !== undefined || facts.tlsAlert !== undefined;
    const isTunnelled = route.proxy !== undefined && !atProxy;
    const isOurs = facts.errorCode === 'UND_ERR_DESTROYED'; // the transport was closed
    if (isJudged || isTunnelled || responded || isOurs) return undefined;
    const url = atProxy && route.proxy !== undefined ? route.proxy.url : route.target;
    const expected = url.protocol === 'https:' ? 'tls' : 'first-byte';
    if (phase !== expected || (expected === 'first-byte' && isForwarded(route))) return undefined;
    const known = this.#known.get(route.key) ?? ask(url, route, progress.signal);
    this.#known.set(route.key, known);
    return known;
  }
}

async function ask(url: URL, route: Route, cancelled: AbortSignal): Promise<Speaks> {
  const progress = new Progress(() => 0, patienceMs, cancelled);
  let socket: Socket | undefined;
  try {
    socket = await openTcp(url, route.addresses, progress);
    socket.on('error', () => {});
    if (url.protocol === 'https:') {
      socket.write(question);
      const [chunk] = await once(socket, 'data', { signal: progress.signal });
      return /^(?:HTTP\/|<)/.test(chunk.subarray(0, 5).toString('latin1')) ? 'http' : undefined;
    }
    // Nothing is sent: whose certificate it is doesn't matter here.
    const settings = { url, context: route.tls.proxyContext(), insecure: true };
    socket = await openTls(socket, settings, progress);
    return 'tls';
  } catch {
    return undefined; // no reaction to that either: the first failure is reported
  } finally {
    if (socket !== undefined) abandon(socket);
    progress.release();
  }
}

/** What a plain HTTP server refuses at once: the start of a TLS record, and an empty line. */
const question = Buffer.from([0x16, 0x03, 0x01, 0x0d, 0x0a, 0x0d, 0x0a]);
