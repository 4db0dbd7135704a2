import assert from 'node:assert/strict';
import type { MockTimers } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';
import type { Exchange, WireRequest } from '../../src/client/exchange.ts';
import { createTransport } from '../../src/client/transport.ts';
import type { TransportOptions } from '../../src/client/transport-options.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { type Line, startFaultServer } from './fault-server.ts';

/** A request of the interface with any body. */
export function post(url: URL, body = '{"a":1}'): WireRequest {
  const headers = [['Content-type', 'application/json;charset=utf-8']] as const;
  return { method: 'POST', url, headers, body: Buffer.from(body) };
}

/** Gives `use` a transport, and ends it afterwards. */
export async function withTransport<T>(
  options: Partial<TransportOptions>,
  use: (transport: ReturnType<typeof createTransport>) => Promise<T>,
): Promise<T> {
  const transport = createTransport({ timeoutMs: 60_000, now: Date.now, ...options });
  try {
    return await use(transport);
  } finally {
    await transport.close();
  }
}

/** One request on a transport of its own. */
export function sendOnce(
  url: URL,
  options: Partial<TransportOptions> = {},
  body?: string,
): Promise<Exchange> {
  return withTransport(options, (transport) => transport.send(post(url, body)));
}

/** One request to a server that is ended with it. */
export async function exchangeWith(
  serve: (line: Line) => void | Promise<void>,
  options?: Partial<TransportOptions>,
  tls?: TlsOptions,
) {
  const server = await startFaultServer(serve, tls);
  const exchange = await sendOnce(server.url, options).finally(() => server.close());
  return { exchange, server };
}

/** Lets mocked time pass once what was sent has been read. */
export async function pass(timers: MockTimers, milliseconds: number): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  timers.tick(milliseconds);
}

/** Asserts a failure by code and message. */
export function assertFailure(
  exchange: Exchange | undefined,
  code: Diagnosis['code'],
  message: RegExp,
): void {
  assert.ok(exchange?.failure, 'expected a failure');
  assert.equal(exchange.response, undefined);
  assert.equal(exchange.failure.code, code, exchange.failure.message);
  assert.match(exchange.failure.message, message);
  assert.notEqual(exchange.failure.hint, '');
}

/** The body of the response as text; fails with the failure where there is none. */
export function bodyOf(exchange: Exchange): string {
  assert.ok(exchange.response, exchange.failure?.message);
  return Buffer.from(exchange.response.body).toString('utf8');
}
