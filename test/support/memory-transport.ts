import type { Exchange, Transport, WireRequest } from '../../src/client/exchange.ts';
import type { Diagnosis } from '../../src/errors.ts';

/** The response of a peer without a network: a JSON value, or the failure of the connection. */
export type MemoryResponse = { readonly json: unknown } | { readonly failure: Diagnosis };

/** A transport that hands each request to `respond`, which sees its body as JSON. */
export function memoryTransport(
  respond: (call: Readonly<Record<string, unknown>>) => MemoryResponse,
): Transport {
  return {
    send: async (request: WireRequest): Promise<Exchange> => {
      const text = Buffer.from(request.body).toString('utf8');
      const response = respond(JSON.parse(text) as Record<string, unknown>);
      const base = { request, startedAt: 0, durationMs: 1, timings: {}, attempts: 1 };
      if ('failure' in response) return { ...base, failure: response.failure };
      const body = Buffer.from(JSON.stringify(response.json));
      const headers = [['content-type', 'application/json']] as const;
      const head = { status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', headers };
      return { ...base, response: { ...head, body, encodedBodyBytes: body.length } };
    },
    close: async () => {},
  };
}
