import { chooseWay } from './addresses.ts';
import { Attempt } from './attempt.ts';
import { type Cancellation, pause, throwIfCancelled } from './cancellation.ts';
import { Connections } from './connections.ts';
import type { Exchange, WireRequest } from './exchange.ts';
import { asSent, checkUserHeaders } from './headers.ts';
import { Limits } from './limit.ts';
import { Peeks } from './peek.ts';
import { chooseProxy } from './proxy.ts';
import { createRoute, type Route } from './route.ts';
import { createTlsSettings } from './tls-options.ts';
import { defaultMaxBodyBytes, type TransportOptions } from './transport-options.ts';

export type { Exchange, WireRequest } from './exchange.ts';
export type { TransportOptions } from './transport-options.ts';

/** Sends requests over kept connections. */
export interface Transport {
  /**
   * Sends one request and returns what became of it; redirects are not followed. Never rejects for
   * the peer's faults, only with the reason of `signal`.
   */
  send(request: WireRequest): Promise<Exchange>;
  /** Ends all connections; requests still under way end as `reset`. */
  close(): Promise<void>;
}

/**
 * Makes a transport.
 * @throws AuthcliError `usage` for headers, certificates or proxies that can't be used.
 */
export function createTransport(options: TransportOptions): Transport {
  const own = options.headers ?? [];
  checkUserHeaders(own);
  const proxyFor = chooseProxy(options.unixSocket === undefined ? options.proxy : {});
  const tls = createTlsSettings(options);
  const addresses = chooseWay(options);
  const connections = new Connections();
  const settings = {
    connections,
    peeks: new Peeks(),
    limits: new Limits(options.signal),
    timeoutMs: options.timeoutMs,
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    now: options.now,
    signal: options.signal,
  };
  const routes = new Routes((url) => createRoute(new URL(url), proxyFor(url), tls, addresses));
  return {
    async send(request) {
      const route = routes.to(request.url);
      const attempt = new Attempt(asSent(request, own), route, settings);
      return repeat(() => attempt.run(), options.retries ?? 0, options.signal);
    },
    async close() {
      settings.limits.close();
      connections.closeAll(options.leavesIdle);
    },
  };
}

/** The ways to the URLs of a run, which are few, each worked out once. */
class Routes {
  readonly #known = new Map<string, Route>();
  readonly #create: (url: URL) => Route;

  constructor(create: (url: URL) => Route) {
    this.#create = create;
  }

  to(url: URL): Route {
    const known = this.#known.get(url.href);
    if (known !== undefined) return known;
    const route = this.#create(url);
    if (this.#known.size < 1000) this.#known.set(url.href, route);
    return route;
  }
}

/** The first pause before a repetition; each next one is twice as long, up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 2000;

/** Repeats what failed before an answer came; a verdict on a certificate is not a matter of luck. */
async function repeat(
  once: () => Promise<Omit<Exchange, 'attempts'>>,
  retries: number,
  signal: Cancellation | undefined,
): Promise<Exchange> {
  for (let attempts = 1; ; attempts += 1) {
    const exchange = await once();
    if (attempts > retries || !isRepeatable(exchange)) return { ...exchange, attempts };
    const pauseMs = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
    await pause(pauseMs, signal);
    throwIfCancelled(signal);
  }
}

function isRepeatable({ failure, partial }: Omit<Exchange, 'attempts'>): boolean {
  return failure !== undefined && partial === undefined && !failure.code.startsWith('tls-');
}
