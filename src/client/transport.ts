import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { ConnectionFacts } from '../diagnosis/connection.ts';
import type { Diagnosis } from '../errors.ts';
import { Connection, Connections } from './connection.ts';
import type {
  Exchange,
  PassedRequest,
  PassFailure,
  Receiver,
  Transport,
  Upstream,
  UpstreamConnection,
  WireRequest,
} from './exchange.ts';
import { asSent, checkUserHeaders } from './headers.ts';
import { Progress, TimeLimit, toWireFailure, type WireFailure } from './progress.ts';
import { IncomingResponse, type Outcome, ResponseReader, readOutcome } from './response.ts';
import { createRoutes, isForwarded, type Route, SpokenProtocols } from './route.ts';
import { defaultMaxBodyBytes, type TransportOptions } from './transport-options.ts';

/**
 * Makes a transport.
 * @throws AuthcliError `usage` for headers, certificates or proxies that can't be used.
 */
export function createTransport(options: TransportOptions): Transport {
  const { headers: own = [], retries = 0, signal } = options;
  checkUserHeaders(own);
  if (signal !== undefined) setMaxListeners(0, signal); // one for each request under way
  const routeTo = createRoutes(options);
  const connections = new Connections();
  const environment = { options, connections, protocols: new SpokenProtocols() };
  return {
    async send(request, connection = 'kept') {
      const sent = asSent(request, own);
      const route = routeTo(request.url);
      return repeat(() => attempt(sent, route, connection, environment), retries, signal);
    },
    async close() {
      connections.closeAll();
    },
  };
}

/** The first pause before a repetition; each next one is twice as long, up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 2000;

/** Repeats what failed before a response came; a verdict on a certificate is not a matter of luck. */
async function repeat(
  once: () => Promise<Omit<Exchange, 'attempts'>>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<Exchange> {
  for (let attempts = 1; ; attempts += 1) {
    const exchange = await once();
    if (attempts > retries || !isRepeatable(exchange)) return { attempts, ...exchange };
    const pauseMs = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
    await pause(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

function isRepeatable({ failure, partial }: Omit<Exchange, 'attempts'>): boolean {
  return failure !== undefined && partial === undefined && !failure.code.startsWith('tls-');
}

/** What an attempt needs of its transport. */
interface Environment {
  readonly options: TransportOptions;
  readonly connections: Connections;
  readonly protocols: SpokenProtocols;
}

/** Sends a request once, under one time limit; rejects only with the reason of the transport's signal. */
async function attempt(
  request: WireRequest,
  route: Route,
  connection: 'kept' | 'fresh',
  environment: Environment,
): Promise<Omit<Exchange, 'attempts'>> {
  const { now, signal, timeoutMs } = environment.options;
  signal?.throwIfAborted();
  const startedAt = now();
  const limit = new TimeLimit(timeoutMs, signal);
  try {
    const { outcome, progress } = await perform(request, route, connection, limit, environment);
    if (outcome.response === undefined) signal?.throwIfAborted();
    const { lastStep, timings } = progress;
    return { request, startedAt, durationMs: lastStep - startedAt, timings, ...outcome };
  } finally {
    limit.release();
  }
}

/**
 * The peer may have closed a kept connection just before it was used: then not a byte of a
 * response comes, and the request is sent on a new connection.
 */
async function perform(
  request: WireRequest,
  route: Route,
  connection: 'kept' | 'fresh' | 'replaced',
  limit: TimeLimit,
  environment: Environment,
): Promise<{ readonly outcome: Outcome; readonly progress: Progress }> {
  const { options, connections, protocols } = environment;
  const { now, timeoutMs, maxBodyBytes = defaultMaxBodyBytes } = options;
  const progress = new Progress(now);
  const facts = { route, progress, now, timeoutMs, protocols };
  const response = new IncomingResponse(maxBodyBytes, progress);
  const taken = connections.take(route, connection !== 'kept');
  try {
    await taken.perform(request, route.requestTarget, response, progress, limit);
    if (response.stopped || connection === 'fresh') connections.drop(taken);
    else connections.keep(route, taken);
    protocols.markResponded(route);
  } catch (error) {
    progress.step(progress.phase);
    connections.drop(taken);
    const failure = toWireFailure(error);
    const isReplaced = connection === 'kept' && limit.reason === undefined;
    if (isReplaced && wasClosedBefore(failure, progress)) {
      return perform(request, route, 'replaced', limit, environment);
    }
    const diagnosis = await diagnoseFailure(failure, { ...facts, response, limit });
    return { outcome: { failure: diagnosis, partial: response.received }, progress };
  }
  const outcome = await readOutcome(response, {
    route,
    maxBodyBytes,
    diagnose: (seen) => diagnose(seen, facts),
  });
  progress.end('bodyMs');
  return { outcome, progress };
}

/** Whether a kept connection was closed or cut before any byte of the response. */
function wasClosedBefore({ facts }: WireFailure, progress: Progress): boolean {
  const closed = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(facts.errorCode ?? '');
  return !progress.fresh && !progress.responded && closed;
}

/**
 * Makes the way to a server, with the options of a transport: those that concern connections. The time limit
 * ends with the request sent.
 * @throws AuthcliError `usage` for certificates or proxies that can't be used
 */
export function createUpstream(url: URL, options: TransportOptions): Upstream {
  const route = createRoutes(options)(url);
  const protocols = new SpokenProtocols();
  return {
    url,
    connect: (onIdleClose) => new Forwarding(route, protocols, options, onIdleClose),
  };
}

/** A connection for the requests of one caller, one after another. */
class Forwarding implements UpstreamConnection {
  readonly #connection: Connection;
  readonly #route: Route;
  readonly #protocols: SpokenProtocols;
  readonly #options: TransportOptions;

  constructor(
    route: Route,
    protocols: SpokenProtocols,
    options: TransportOptions,
    onIdleClose: () => void,
  ) {
    this.#connection = new Connection(route, onIdleClose);
    this.#route = route;
    this.#protocols = protocols;
    this.#options = options;
  }

  async pass(request: PassedRequest, receiver: Receiver): Promise<PassFailure | undefined> {
    const [route, protocols] = [this.#route, this.#protocols];
    const { now, timeoutMs, signal } = this.#options;
    const progress = new Progress(now);
    const limit = new TimeLimit(timeoutMs, signal);
    const response = new PassedResponse(progress, receiver, limit);
    const prefix = isForwarded(route) ? route.target.origin : '';
    try {
      const target = prefix + request.target;
      await this.#connection.perform(request, target, response, progress, limit);
      protocols.markResponded(route);
      if (response.stopped) this.destroy();
      return undefined;
    } catch (error) {
      const { facts } = toWireFailure(error);
      const attempt = { route, progress, now, response, limit, timeoutMs, protocols };
      return {
        diagnose: () => diagnoseFailure(error, attempt),
        isReset: this.#connection.wasReset,
        isUnreachable: !response.isSent || facts.unreadable !== undefined,
      };
    } finally {
      limit.release();
    }
  }

  destroy(): void {
    this.#connection.destroy();
  }
}

class PassedResponse extends ResponseReader {
  /** There was a connection for the request. */
  isSent = false;
  readonly #receiver: Receiver;
  readonly #limit: TimeLimit;

  constructor(progress: Progress, receiver: Receiver, limit: TimeLimit) {
    super(progress);
    this.#receiver = receiver;
    this.#limit = limit;
  }

  override onRequestStart(): void {
    super.onRequestStart();
    this.isSent = true;
    this.#limit.release();
  }

  override onResponseStart(...args: Parameters<ResponseReader['onResponseStart']>): void {
    super.onResponseStart(...args);
    if (this.head !== undefined) this.#receiver.onHead(this.head);
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.bodyBytes += chunk.length;
    const waiting = this.#receiver.onData(chunk);
    if (waiting === undefined) return;
    controller.pause();
    void waiting.then(() => controller.resume());
  }
}

/** One request, and how far it has come. */
interface Attempt {
  readonly route: Route;
  readonly progress: Progress;
  readonly now: () => number;
}

/** One request that has failed. */
interface FailedAttempt extends Attempt {
  readonly response: ResponseReader;
  readonly limit: TimeLimit;
  readonly timeoutMs: number;
  readonly protocols: SpokenProtocols;
}

/** Why a request has no whole response. */
export async function diagnoseFailure(error: unknown, attempt: FailedAttempt): Promise<Diagnosis> {
  const { route, progress, response, limit, timeoutMs, protocols } = attempt;
  const { bodyBytes, announcedBytes } = response;
  const seen = { bodyBytes, announcedBytes };
  if (limit.reason !== undefined) return diagnose({ ...seen, timeoutMs }, attempt);
  const { facts } = toWireFailure(error);
  const speaks = await protocols.find(facts, route, progress, limit.signal);
  return diagnose({ ...facts, ...seen, speaks }, attempt);
}

/** The diagnosis of what was observed; what explains a failure is loaded only for one. */
export async function diagnose(
  facts: Partial<ConnectionFacts>,
  { route: { target, proxy }, progress: { phase, atProxy }, now }: Attempt,
): Promise<Diagnosis> {
  const { diagnoseConnection } = await import('../diagnosis/connection.ts');
  return diagnoseConnection({ ...facts, phase, atProxy, target, proxy: proxy?.url, now: now() });
}
