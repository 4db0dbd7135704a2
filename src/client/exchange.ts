import type { Diagnosis } from '../errors.ts';

/** Header lines in their order, names in the case in which they stand on the wire. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** A request to send, or as it was sent. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** An answer as it came; the body after content decoding. */
export interface WireAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Always `HTTP/1.1`: what authcli speaks. */
  readonly httpVersion: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Bytes of the body on the wire, after removal of the transfer coding, before content decoding. */
  readonly encodedBodyBytes: number;
}

/**
 * How long each part took, in milliseconds. What did not happen, or was not reached, is absent: a
 * kept connection has no look-up, an address no look-up either, plain HTTP no TLS.
 */
export interface Timings {
  readonly lookupMs?: number;
  readonly connectMs?: number;
  /** From the connected proxy to its consent to the tunnel. */
  readonly proxyMs?: number;
  readonly tlsMs?: number;
  /** From the request handed to the socket to the complete head of the answer. */
  readonly firstByteMs?: number;
  /** From the head of the answer to its last byte, decoding included. */
  readonly bodyMs?: number;
}

/** One request and its answer or failure. Of several attempts, the last is the one described. */
export interface Exchange {
  /** As sent, the headers that the transport adds included (those meant for a proxy are not). */
  readonly request: WireRequest;
  /** Milliseconds since the epoch at which the described attempt began. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly timings: Timings;
  /** Set exactly when the answer came wholly and could be decoded. */
  readonly answer?: WireAnswer;
  /** Set exactly when there is no `answer`: of the connection, or `body-too-large`, `not-json`. */
  readonly failure?: Diagnosis;
  /** What had arrived of an answer when it failed: its head, and the body as far as it was read. */
  readonly partial?: WireAnswer;
  /** How often the request was tried; the replacing of a kept, closed connection isn't counted. */
  readonly attempts: number;
}

/** The value of the first header of that name, in any case; undefined where there is none. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return headers.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1];
}

/** The HTTP status that was seen, also of an answer that failed later; undefined without one. */
export function statusOf(exchange: Exchange): number | undefined {
  return (exchange.answer ?? exchange.partial)?.status;
}
