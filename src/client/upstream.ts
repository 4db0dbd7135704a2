import type { Socket } from 'node:net';
import type { ConnectionFacts } from '../diagnosis/connection-facts.ts';
import type { Diagnosis } from '../errors.ts';
import type { Headers } from './exchange.ts';
import { Progress, toWireFailure, type WireFailure } from './progress.ts';
import { createRoutes, credentials, isForwarded, openRoute, type Route } from './route.ts';
import { SpokenProtocols } from './spoken-protocol.ts';
import { TimeLimit } from './time-limit.ts';
import type { TransportOptions } from './transport-options.ts';

/** A server that bytes are forwarded to, over connections that the caller reads and writes itself. */
export interface Upstream {
  readonly url: URL;
  /** What a request target begins with towards this server: its origin where a proxy forwards (RFC 9112 3.2.2). */
  readonly targetPrefix: string;
  /** For the proxy that forwards. */
  readonly proxyHeaders: Headers;
  /** Opens a connection, TLS and proxy included, or says why there is none. */
  open(): Promise<Opened>;
  /** Why a connection that was open has failed. */
  diagnose(facts: Pick<ConnectionFacts, 'phase'> & Partial<ConnectionFacts>): Promise<Diagnosis>;
}

export type Opened =
  | { readonly ok: true; readonly socket: Socket }
  | { readonly ok: false; readonly failure: Diagnosis };

/**
 * Makes the way to a server, with the options of a transport: those that concern connections.
 * @throws AuthcliError `usage` for certificates or proxies that can't be used
 */
export function createUpstream(url: URL, options: TransportOptions): Upstream {
  const { now, timeoutMs, signal } = options;
  const route = createRoutes(options)(url);
  const protocols = new SpokenProtocols();
  const isProxied = isForwarded(route);
  return {
    url,
    targetPrefix: isProxied ? url.origin : '',
    proxyHeaders: isProxied ? credentials(route.proxy) : [],
    async open() {
      const progress = new Progress(now);
      const limit = new TimeLimit(timeoutMs, signal);
      try {
        return { ok: true, socket: await openRoute(route, progress, limit.signal) };
      } catch (error) {
        const { facts } = toWireFailure(error);
        const speaks = await protocols.find(facts, route, progress, limit.signal);
        const { phase, atProxy } = progress;
        const seen = limit.reason === undefined ? { ...facts, speaks } : { timeoutMs };
        return { ok: false, failure: await toDiagnosis(route, now, { ...seen, phase, atProxy }) };
      } finally {
        limit.release();
      }
    },
    diagnose: (facts) => toDiagnosis(route, now, facts),
  };
}

/** What explains a failure is loaded only for one. */
async function toDiagnosis(
  { target, proxy }: Route,
  now: () => number,
  facts: WireFailure['facts'] & Pick<ConnectionFacts, 'phase'>,
): Promise<Diagnosis> {
  const { diagnoseConnection } = await import('../diagnosis/connection.ts');
  return diagnoseConnection({ ...facts, target, proxy: proxy?.url, now: now() });
}
