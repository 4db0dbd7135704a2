import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { faultyServer, type LocalTls, localServer } from '../../src/app/local-tls.ts';
import { createTransport } from '../../src/client/transport.ts';
import { secretOptions, type TransportOptions } from '../../src/client/transport-options.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import type { TlsFaultName } from '../../src/emulator/faults/tls.ts';
import { startServer } from '../../src/emulator/server.ts';
import { makeCertificate } from '../support/certificates.ts';
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

/** A run against https://app.test, whose certificate is not signed. */
export async function verifyUntrusted(): Promise<RunResult> {
  const target = createTlsServer(makeCertificate({ names: ['app.test'] }));
  const port = await listening(target);
  const proxy = createServer();
  proxy.on('connect', (_, client) => {
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [upstream, client]) socket.on('error', () => upstream.destroy());
  });
  const options = proxied(`http://127.0.0.1:${await listening(proxy)}`);
  return verifyTls('https://app.test/callback', options).finally(() => {
    for (const server of [target, proxy]) server.close().closeAllConnections();
  });
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

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
