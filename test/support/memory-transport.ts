import type { Exchange, WireRequest } from '../../src/client/exchange.ts';
import type { Transport } from '../../src/client/transport.ts';
import type { Diagnosis } from '../../src/errors.ts';

/** What a peer without a network answers: a JSON value, or the failure of the connection. */
export type MemoryAnswer = { readonly json: unknown } | { readonly failure: Diagnosis };

/** A transport that hands each request to `answer`, which sees its body as JSON. */
export function memoryTransport(
  answer: (call: Readonly<Record<string, unknown>>) => MemoryAnswer,
): Transport {
  return {
    send: async (request: WireRequest): Promise<Exchange> => {
      const text = Buffer.from(request.body).toString('utf8');
      const answered = answer(JSON.parse(text) as Record<string, unknown>);
      const base = { request, startedAt: 0, durationMs: 1, timings: {}, attempts: 1 };
      if ('failure' in answered) return { ...base, failure: answered.failure };
      const body = Buffer.from(JSON.stringify(answered.json));
      const headers = [['content-type', 'application/json']] as const;
      const head = { status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', headers };
      return { ...base, answer: { ...head, body, encodedBodyBytes: body.length } };
    },
    close: async () => {},
  };
}
