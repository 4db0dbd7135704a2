import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { diagnoseConnection } from '../diagnosis/connection.ts';
import type { ConnectionFacts } from '../diagnosis/connection-facts.ts';
import type { AddressFacts, RequestFacts, TlsFacts, WayFacts } from '../diagnosis/doctor.ts';
import { diagnoseRedirect } from '../diagnosis/redirect.ts';
import type { Diagnosis } from '../errors.ts';
import { chooseAddresses, chooseWay, lookedUp } from './addresses.ts';
import { throwIfCancelled } from './cancellation.ts';
import { readPeerCertificates } from './certificate-facts.ts';
import { openTcp } from './connect.ts';
import { headerOf } from './exchange.ts';
import { Progress, toWireFailure } from './progress.ts';
import { chooseProxy, portOf, unbracket } from './proxy.ts';
import { createRoute, openRoute, type Route } from './route.ts';
import { createTlsSettings } from './tls-options.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** Every address of a name. */
export type LookUp = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** What a survey needs beside the options of the transport. */
export interface SurveyInput {
  readonly url: URL;
  /** As the transport has them; each step is bounded by `timeoutMs`. */
  readonly options: TransportOptions;
  readonly transport: Transport;
  readonly lookUp?: LookUp;
}

/**
 * Looks at the way to an endpoint step by step: proxy, addresses of the name, a connection to one of
 * each family, the certificate, and one request that asks for nothing (OPTIONS, RFC 9110 9.3.7). A
 * step that fails ends it. Never rejects for what it meets, only with the reason of the signal.
 * @throws AuthcliError `usage` for certificates and proxies that can't be used
 */
export async function surveyWay(input: SurveyInput): Promise<WayFacts> {
  const { url, options } = input;
  const { unixSocket } = options;
  const proxy = unixSocket === undefined ? chooseProxy(options.proxy)(url) : undefined;
  const tls = createTlsSettings(options);
  const addresses = chooseWay(options);
  const reached =
    unixSocket !== undefined
      ? { unixSocket, ...nowhere }
      : proxy === undefined
        ? await reach(input)
        : { proxy: proxy.url.host, ...nowhere };
  const way = { url, ...reached };
  const isReached =
    unixSocket !== undefined ||
    proxy !== undefined ||
    reached.addresses.some(({ failure }) => !failure);
  if (!isReached) return way;
  if (url.protocol === 'http:') return { ...way, request: await ask(input) };
  const secured = await seeCertificate(createRoute(url, proxy, tls, addresses), options);
  const hasCertificate = secured.certificates.length > 0;
  const isUsable = hasCertificate && (secured.failure === undefined || secured.insecure);
  if (isUsable) return { ...way, tls: secured, request: await ask(input) };
  // Without a certificate the transport knows better: it looks at what the server speaks instead.
  const failure = hasCertificate ? secured.failure : (await ask(input)).failure;
  return { ...way, tls: { ...secured, failure: failure ?? secured.failure } };
}

/** A way on which no address is looked up here. */
const nowhere = { addresses: [] as readonly AddressFacts[] };

/** The addresses, and a connection to the first of each family. */
async function reach(input: SurveyInput): Promise<Pick<WayFacts, 'addresses' | 'lookupFailure'>> {
  const { url, options } = input;
  const { signal, stop } = bounded(options);
  try {
    const found = await Promise.race([addressesOf(input), rejected(signal)]);
    const firsts = families.flatMap((family) => found.find((one) => one.family === family) ?? []);
    return { addresses: await Promise.all(firsts.map((first) => connectTo(first, input))) };
  } catch (error) {
    const facts = { phase: 'lookup', target: url } as const;
    return { addresses: [], lookupFailure: explain(error, facts, options, signal) };
  } finally {
    stop();
  }
}

const families = [4, 6] as const;

interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

async function addressesOf({
  url,
  options,
  lookUp = lookUpAll,
}: SurveyInput): Promise<readonly Address[]> {
  const host = unbracket(url.hostname);
  const given = chooseAddresses(options.resolve)(host, portOf(url));
  const known = isIP(host) === 0 ? given : [host];
  const found =
    known?.map((address) => ({ address, family: isIP(address) })) ?? (await lookUp(host));
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

const lookUpAll: LookUp = (host) => lookup(host, { all: true });

async function connectTo(
  { address, family }: Address,
  { url, options }: SurveyInput,
): Promise<AddressFacts> {
  const target = new URL(url);
  target.hostname = family === 6 ? `[${address}]` : address;
  const { now } = options;
  const startedAt = now();
  const failure = await attempt({ target }, options, async (progress, signal) => {
    (await openTcp(target, lookedUp, progress, signal)).destroy();
  });
  return { address, family, durationMs: now() - startedAt, ...(failure && { failure }) };
}

/** The certificate is read first and judged afterwards, so that it can be told either way. */
async function seeCertificate(route: Route, options: TransportOptions): Promise<TlsFacts> {
  const seen: { socket?: TLSSocket } = {};
  const lenient = { ...route, tls: { ...route.tls, insecure: true } };
  const { target, tls } = route;
  const failure = await attempt(
    { target, proxy: route.proxy?.url },
    options,
    async (progress, signal) => {
      const socket = await openRoute(lenient, progress, signal);
      if (socket instanceof TLSSocket) seen.socket = socket;
      socket.on('error', () => {});
    },
  );
  const { socket } = seen;
  if (socket === undefined) {
    return { certificates: [], insecure: tls.insecure, ...(failure && { failure }) };
  }
  const certificates = readPeerCertificates(socket);
  const protocol = socket.getProtocol() ?? undefined;
  const { authorized, authorizationError } = socket;
  socket.destroy();
  const facts = { protocol, certificates, insecure: tls.insecure };
  if (authorized) return facts;
  const verifyCode = String(authorizationError);
  const now = options.now();
  return {
    ...facts,
    failure: diagnoseConnection({ phase: 'tls', target, verifyCode, certificates, now }),
  };
}

/** One request that asks for nothing and changes nothing. */
async function ask({ url, transport }: SurveyInput): Promise<RequestFacts> {
  const request = { method: 'OPTIONS', url, headers: [], body: new Uint8Array(0) } as const;
  const { startedAt, durationMs, answer, failure } = await transport.send(request);
  if (answer === undefined) return { startedAt, durationMs, ...(failure && { failure }) };
  const { status, headers } = answer;
  const redirect = diagnoseRedirect({ status, location: headerOf(headers, 'location'), url });
  return {
    startedAt,
    durationMs,
    status,
    allow: headerOf(headers, 'allow'),
    date: headerOf(headers, 'date'),
    ...(redirect && { failure: redirect }),
  };
}

/** Does one step within the time limit; why it failed, or undefined. */
async function attempt(
  where: Pick<ConnectionFacts, 'target' | 'proxy'>,
  options: TransportOptions,
  step: (progress: Progress, signal: AbortSignal) => Promise<void>,
): Promise<Diagnosis | undefined> {
  const progress = new Progress(options.now);
  const { signal, stop } = bounded(options);
  try {
    await step(progress, signal);
    return undefined;
  } catch (error) {
    const { phase, atProxy } = progress;
    return explain(error, { ...where, phase, atProxy }, options, signal);
  } finally {
    stop();
  }
}

/** The diagnosis of an error of a step; throws where the whole run was stopped. */
function explain(
  error: unknown,
  where: Pick<ConnectionFacts, 'target' | 'proxy' | 'phase' | 'atProxy'>,
  { timeoutMs, signal: stopped }: TransportOptions,
  limit: AbortSignal,
): Diagnosis {
  throwIfCancelled(stopped);
  if (limit.aborted) return diagnoseConnection({ ...where, timeoutMs });
  return diagnoseConnection({ ...where, ...toWireFailure(error).facts });
}

/** A signal that ends with the time limit or with the run; `stop` lets go of both. */
function bounded({ timeoutMs, signal }: TransportOptions): {
  readonly signal: AbortSignal;
  readonly stop: () => void;
} {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error('time limit'));
  const timer = setTimeout(abort, timeoutMs);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}

/** Rejects once the signal is aborted: the resolver of the system can't be interrupted. */
function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
