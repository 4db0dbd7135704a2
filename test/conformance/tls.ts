import { faultyServer, type LocalTls, localServer } from '../../src/cli/tls/open-tls.ts';
import { createTransport } from '../../src/client/transport.ts';
import { secretOptions, type TransportOptions } from '../../src/client/transport-options.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import type { TlsFaultName } from '../../src/emulator/faults/tls.ts';
import { startServer } from '../../src/emulator/server.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
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

/** A run against the application itself, over TLS with this fault. */
export async function verifyOverTls(fault: TlsFaultName): Promise<RunResult> {
  let stored: LocalTls | undefined;
  const store = {
    read: () => stored,
    isPublished: () => true,
    change: async (next: (before: LocalTls | undefined) => Promise<LocalTls>) => {
      stored = await next(stored);
      return stored;
    },
  };
  const source = keyPairSource();
  const generateKeyPair = () => source(2048);
  const tools = { store, now: Date.now, randomBytes: seededBytes(fault), generateKeyPair };
  const right = await localServer([], tools);
  const tls = await faultyServer([fault], right, tools);
  const server = await startServer({ host: '127.0.0.1', port: 0, handle: application(), tls });
  const ca = right.authority.certificate;
  return verifyTls(`${server.url}/callback`, { ca }).finally(() => server.close());
}

const proxied = (proxy: string) => secretOptions({ proxy: { http: proxy, https: proxy } });

function verifyTls(url: string, options: Partial<TransportOptions>): Promise<RunResult> {
  const transport = createTransport({ timeoutMs: 60_000, now: Date.now, ...options });
  return newRun(new URL(url), { check: ['protocol/tls'], transport })
    .start()
    .finally(() => transport.close());
}
