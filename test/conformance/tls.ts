import { createTransport } from '../../src/client/transport.ts';
import type { TransportOptions } from '../../src/client/transport-options.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import { application, newRun, serve } from './support.ts';

/*
 * Runs of protocol/tls. Addresses off loopback are reached without leaving it: a proxy on loopback takes every name for
 * its own.
 */

/** A run against http://app.test, to which the application itself responds as the proxy. */
export async function verifyPlain(): Promise<RunResult> {
  const { url, close } = await serve(application());
  return verifyTls('http://app.test/callback', proxied(url.origin)).finally(close);
}

const proxied = (proxy: string) => ({ proxy: { http: proxy, https: proxy } });

function verifyTls(url: string, options: Partial<TransportOptions>): Promise<RunResult> {
  const transport = createTransport({ timeoutMs: 60_000, now: Date.now, ...options });
  return newRun(new URL(url), { check: ['protocol/tls'], transport })
    .start()
    .finally(() => transport.close());
}
