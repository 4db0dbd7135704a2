import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createTransport } from '../../src/client/transport.ts';
import { secretOptions } from '../../src/client/transport-options.ts';
import type { RunResult } from '../../src/conformance/result.ts';
import { makeCertificate } from '../support/certificates.ts';
import { application, newRun, serve } from './support.ts';

/*
 * Addresses off loopback, without leaving it: a proxy on loopback takes every name for its own.
 */

const check = ['protocol/tls'];

/** A run against http://app.test, to which the application itself responds as the proxy. */
export async function verifyPlain(): Promise<RunResult> {
  const endpoint = await serve(application());
  const proxy = endpoint.url.origin;
  return verifyThrough(proxy, 'http://app.test/callback').finally(() => endpoint.close());
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
  const address = `http://127.0.0.1:${await listening(proxy)}`;
  return verifyThrough(address, 'https://app.test/callback').finally(() => {
    for (const server of [target, proxy]) server.close().closeAllConnections();
  });
}

function verifyThrough(proxy: string, url: string): Promise<RunResult> {
  const transport = createTransport({
    timeoutMs: 60_000,
    now: Date.now,
    ...secretOptions({ proxy: { http: proxy, https: proxy } }),
  });
  return newRun(new URL(url), { check, transport })
    .start()
    .finally(() => transport.close());
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
