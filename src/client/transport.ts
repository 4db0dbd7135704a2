import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Connections } from './connection.ts';
import type { Exchange, WireRequest } from './exchange.ts';
import { diagnose, diagnoseFailure } from './failure.ts';
import { asSent, checkUserHeaders } from './headers.ts';
import { Progress, toWireFailure, type WireFailure } from './progress.ts';
import { IncomingResponse, type Outcome, readOutcome } from './response.ts';
import { createRoutes, type Route } from './route.ts';
import { SpokenProtocols } from './spoken-protocol.ts';
import { TimeLimit } from './time-limit.ts';
import { defaultMaxBodyBytes, type TransportOptions } from './transport-options.ts';

export interface Transport {
  /**
   * Sends one request and returns what became of it; redirects are not followed. Never rejects for
   * the peer's faults, only with the reason of `signal`. `fresh`: on a new connection that is not kept.
   */
  send(request: WireRequest, connection?: 'kept' | 'fresh'): Promise<Exchange>;
  /** Ends all connections; requests still under way end as `reset`. */
  close(): Promise<void>;
}

/**
 * Makes a transport.
 * @throws AuthcliError `usage` for headers, certificates or proxies that can't be used.
 */
export function createTransport(options: TransportOptions): Transport {
  const { headers: own = [], maxBodyBytes = defaultMaxBodyBytes, retries = 0, signal } = options;
  checkUserHeaders(own);
  if (signal !== undefined) setMaxListeners(0, signal); // one for each request under way
  const { timeoutMs, now } = options;
  const routeTo = createRoutes(options);
  const connections = new Connections();
  const protocols = new SpokenProtocols();
  const settings = { connections, protocols, timeoutMs, maxBodyBytes, now, signal };
  return {
    async send(request, connection = 'kept') {
      const attempt = new Attempt(asSent(request, own), routeTo(request.url), settings);
      return repeat(() => attempt.run(connection === 'fresh'), retries, signal);
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
interface AttemptSettings extends Pick<TransportOptions, 'timeoutMs' | 'now' | 'signal'> {
  readonly connections: Connections;
  readonly protocols: SpokenProtocols;
  readonly maxBodyBytes: number;
}

/** One request under one time limit. */
class Attempt {
  readonly #request: WireRequest;
  readonly #route: Route;
  readonly #settings: AttemptSettings;

  constructor(request: WireRequest, route: Route, settings: AttemptSettings) {
    this.#request = request;
    this.#route = route;
    this.#settings = settings;
  }

  /** Sends the request once; rejects only with the reason of the transport's signal. */
  async run(fresh: boolean): Promise<Omit<Exchange, 'attempts'>> {
    const { now, signal, timeoutMs } = this.#settings;
    signal?.throwIfAborted();
    const startedAt = now();
    const limit = new TimeLimit(timeoutMs, signal);
    try {
      const { outcome, progress } = await this.#perform(limit, fresh);
      if (outcome.response === undefined) signal?.throwIfAborted();
      const durationMs = progress.lastStep - startedAt;
      const { timings } = progress;
      return { request: this.#request, startedAt, durationMs, timings, ...outcome };
    } finally {
      limit.release();
    }
  }

  /**
   * The peer may have closed a kept connection just before it was used: then not a byte of a
   * response comes, and the request is sent on a new connection.
   */
  async #perform(
    limit: TimeLimit,
    fresh: boolean,
    keeps = !fresh,
  ): Promise<{ readonly outcome: Outcome; readonly progress: Progress }> {
    const { connections, protocols, now, timeoutMs, maxBodyBytes } = this.#settings;
    const progress = new Progress(now);
    const attempt = { route: this.#route, progress, now, timeoutMs, protocols };
    const response = new IncomingResponse(maxBodyBytes, progress);
    const connection = connections.take(this.#route, fresh);
    try {
      await connection.perform(this.#request, this.#route.requestTarget, response, progress, limit);
      if (response.stopped || !keeps) connections.drop(connection);
      else connections.keep(this.#route, connection);
      protocols.markResponded(this.#route);
    } catch (error) {
      progress.step(progress.phase);
      connections.drop(connection);
      const failure = toWireFailure(error);
      if (!fresh && limit.reason === undefined && wasClosedBefore(failure, progress)) {
        return this.#perform(limit, true, keeps);
      }
      const diagnosis = await diagnoseFailure(failure, { ...attempt, response, limit });
      return { outcome: { failure: diagnosis, partial: response.received }, progress };
    }
    const outcome = await readOutcome(response, {
      route: this.#route,
      maxBodyBytes,
      diagnose: (facts) => diagnose(facts, attempt),
    });
    progress.end('bodyMs');
    return { outcome, progress };
  }
}

/** Whether a kept connection was closed or cut before any byte of the response. */
function wasClosedBefore({ facts }: WireFailure, progress: Progress): boolean {
  const closed = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(facts.errorCode ?? '');
  return !progress.fresh && !progress.responded && closed;
}
