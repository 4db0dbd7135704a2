import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type CertificateFacts, diagnoseConnection, proxyName } from '../diagnosis/connection.ts';
import type { AddressFacts, RequestFacts, TlsFacts, WayFacts } from '../diagnosis/doctor.ts';
import { diagnoseRedirect } from '../diagnosis/response.ts';
import type { Diagnosis } from '../errors.ts';
import { chooseAddresses, noOverride } from './addresses.ts';
import { headerOf, type Transport } from './exchange.ts';
import { Progress, toWireFailure } from './progress.ts';
import { diagnose } from './response.ts';
import {
  createRoutes,
  openRoute,
  openTcp,
  portOf,
  type Route,
  readPeerCertificates,
  unbracket,
} from './route.ts';
import type { TransportOptions } from './transport-options.ts';

/**
 * Inspects the way to an endpoint step by step, ending with a request that changes nothing (OPTIONS, RFC 9110 9.3.7). A
 * step that fails ends it. Never rejects for what it finds, only with the reason of the signal.
 *
 * @param options the transport's; `timeoutMs` bounds each step
 * @throws AuthcliError `usage` for certificates and proxies that can't be used
 */
export async function surveyWay(
  url: URL,
  options: TransportOptions,
  transport: Transport,
): Promise<WayFacts> {
  const route = createRoutes(options)(url);
  const proxy = route.proxy && proxyName(route.proxy);
  const way: WayFacts = { url, proxy, ...(proxy ? { addresses: [] } : await reach(url, options)) };
  if (!proxy && way.addresses.every(({ failure }) => failure)) return way;
  if (url.protocol === 'http:') return { ...way, request: await ask(url, transport) };
  const secured = await seeCertificate(route, options);
  if (secured.certificates.length === 0) {
    // The transport knows more: it finds out what the server speaks instead.
    const failure = (await ask(url, transport)).failure ?? secured.failure;
    return { ...way, tls: { ...secured, failure } };
  }
  const isUsable = secured.failure === undefined || secured.insecure;
  return { ...way, tls: secured, request: isUsable ? await ask(url, transport) : undefined };
}

/** The addresses, and a connection to the first of each family. */
async function reach(
  url: URL,
  options: TransportOptions,
): Promise<Pick<WayFacts, 'addresses' | 'lookupFailure'>> {
  let found: readonly string[] = [];
  const lookupFailure = await attempt({ target: url }, options, async (progress) => {
    progress.step('lookup');
    // The resolver of the system can't be interrupted.
    const ended = new Promise<never>((_, reject) => {
      progress.onEnd = reject;
    });
    found = await Promise.race([addressesOf(url, options), ended]);
  });
  const firsts = [4, 6].flatMap((family) => found.find((each) => isIP(each) === family) ?? []);
  const addresses = await Promise.all(firsts.map((address) => connectTo(address, url, options)));
  return { addresses, lookupFailure };
}

async function addressesOf(url: URL, options: TransportOptions): Promise<readonly string[]> {
  const host = unbracket(url.hostname);
  if (isIP(host) !== 0) return [host];
  const given = chooseAddresses(options.resolve)(host, portOf(url));
  if (given !== undefined) return given;
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function connectTo(
  address: string,
  url: URL,
  options: TransportOptions,
): Promise<AddressFacts> {
  const family = isIP(address) === 6 ? 6 : 4;
  const target = new URL(url);
  target.hostname = family === 6 ? `[${address}]` : address;
  const { now } = options;
  const startedAt = now();
  const failure = await attempt({ target }, options, async (progress) => {
    (await openTcp(target, noOverride, progress)).destroy();
  });
  return { address, family, durationMs: now() - startedAt, failure };
}

/** The certificates that an https endpoint presents, its own first, accepted or not; empty where none can be read. */
export async function readCertificates(
  url: URL,
  options: TransportOptions,
): Promise<readonly CertificateFacts[]> {
  if (url.protocol !== 'https:') return [];
  return (await seeCertificate(createRoutes(options)(url), options)).certificates;
}

/** The certificate is read first and judged afterwards, so that it can be shown either way. */
async function seeCertificate(route: Route, options: TransportOptions): Promise<TlsFacts> {
  let seen: TLSSocket | undefined;
  const lenient = { ...route, tls: { ...route.tls, insecure: true } };
  const { target, tls } = route;
  const where = { target, proxy: route.proxy };
  const failure = await attempt(where, options, async (progress) => {
    const socket = await openRoute(lenient, progress);
    if (socket instanceof TLSSocket) seen = socket;
    socket.on('error', () => {});
  });
  const socket = seen as TLSSocket | undefined;
  if (socket === undefined) return { certificates: [], insecure: tls.insecure, failure };
  const certificates = readPeerCertificates(socket);
  const protocol = socket.getProtocol() ?? undefined;
  const { authorized, authorizationError } = socket;
  socket.destroy();
  const facts = { protocol, certificates, insecure: tls.insecure };
  if (authorized) return facts;
  const verifyCode = String(authorizationError);
  const now = options.now();
  const judged = { ...where, phase: 'tls', verifyCode, certificates, now } as const;
  return { ...facts, failure: diagnoseConnection(judged) };
}

async function ask(url: URL, transport: Transport): Promise<RequestFacts> {
  const request = { method: 'OPTIONS', url, headers: [], body: new Uint8Array(0) } as const;
  const { startedAt, durationMs, response, failure } = await transport.send(request);
  if (response === undefined) return { startedAt, durationMs, failure };
  const { status, headers } = response;
  const [allow, date, location] = ['allow', 'date', 'location'].map((n) => headerOf(headers, n));
  const redirect = diagnoseRedirect({ status, location, url });
  return { startedAt, durationMs, status, allow, date, failure: redirect };
}

/** Does one step within the time limit; returns why it failed. */
async function attempt(
  where: Pick<Route, 'target' | 'proxy'>,
  options: TransportOptions,
  step: (progress: Progress) => Promise<void>,
): Promise<Diagnosis | undefined> {
  const progress = new Progress(options.now, options.timeoutMs, options.signal);
  try {
    await step(progress);
    return undefined;
  } catch (error) {
    options.signal?.throwIfAborted();
    const { reason, timeoutMs } = progress;
    return diagnose(reason ? { timeoutMs } : toWireFailure(error).facts, where, progress);
  } finally {
    progress.release();
  }
}
