import { chooseWay } from './addresses.ts';
import { AnswerHeads } from './answer-head.ts';
import { checkUserHeaders } from './headers.ts';
import { LeanConnection } from './lean-connection.ts';
import { Peeks } from './peek.ts';
import { chooseProxy } from './proxy.ts';
import { createRoute } from './route.ts';
import { createTlsSettings } from './tls-options.ts';
import { defaultMaxBodyBytes, type TransportOptions } from './transport-options.ts';

/** How a load sends: as a transport, but for retries, which would hide what a load is to show. */
export type LeanOptions = Omit<TransportOptions, 'retries' | 'signal'>;

/** Makes a connection to the server of these URLs, all with the same settings. */
export type Connect = (...urls: readonly [URL, ...URL[]]) => LeanConnection;

/**
 * Prepares connections for a load.
 * @throws AuthcliError `usage` for headers, certificates or proxies that can't be used.
 */
export function prepareLeanConnections(options: LeanOptions): Connect {
  const { headers = [], timeoutMs, maxBodyBytes = defaultMaxBodyBytes, now } = options;
  checkUserHeaders(headers);
  const proxyFor = chooseProxy(options.unixSocket === undefined ? options.proxy : {});
  const tls = createTlsSettings(options);
  const addresses = chooseWay(options);
  const peeks = new Peeks();
  const answerHeads = new AnswerHeads();
  const target = (url: URL) => ({ url, route: createRoute(url, proxyFor(url), tls, addresses) });
  const shared = { headers, timeoutMs, maxBodyBytes, peeks, answerHeads, now };
  return (first, ...others) =>
    new LeanConnection({ targets: [target(first), ...others.map(target)], ...shared });
}
