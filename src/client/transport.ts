import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Connections } from './connection.ts';
import type { Exchange, Transport, WireRequest } from './exchange.ts';
import { diagnose, diagnoseFailure } from './failure.ts';
import { asSent, checkUserHeaders } from './headers.ts';
import { Progress, toWireFailure, type WireFailure } from './progress.ts';
import { IncomingResponse, type Outcome, readOutcome } from './response.ts';
import { createRoutes, type Route } from './route.ts';
import { SpokenProtocols } from './spoken-protocol.ts';
import { TimeLimit } from './time-limit.ts';
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
