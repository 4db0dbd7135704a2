import type { Readable } from 'node:stream';
import type { Diagnosis } from '../errors.ts';

/** Header lines in their order, names in the case of the wire. */
export type Headers = readonly (readonly [name: string, value: string])[];

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** How much longer than usual its response may take. */
  readonly patienceMs?: number;
}

/** A response as it came; the body after content decoding. */
export interface WireResponse {
  readonly status: number;
  readonly statusText: string;
  /** Always `HTTP/1.1`: what authcli speaks. */
  readonly httpVersion: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Bytes of the body on the wire, after removal of the transfer coding, before content decoding. */
  readonly encodedBodyBytes: number;
}

/** Milliseconds of each part; absent for what did not happen, such as TLS of plain HTTP. */
export interface Timings {
  readonly lookupMs?: number;
  readonly connectMs?: number;
  /** From the connected proxy to its response to CONNECT. */
  readonly proxyMs?: number;
  readonly tlsMs?: number;
  /** From the request written to the first byte of the response. */
  readonly firstByteMs?: number;
  /** From the first byte of the response to the last, decoding included. */
  readonly bodyMs?: number;
}

/** One request and its response or failure; of several attempts, the last. */
export interface Exchange {
  /** As sent, with the headers that the transport adds (not those for a proxy). */
  readonly request: WireRequest;
  /** Milliseconds since the epoch at which the described attempt began. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly timings: Timings;
  /** Set exactly when the whole response came and could be decoded. */
  readonly response?: WireResponse;
  /** Set exactly when `response` is not: of the connection, or `body-too-large`, `not-json`. */
  readonly failure?: Diagnosis;
  /** What had arrived of a failed response: its headers, and the body as far as it was read. */
  readonly partial?: WireResponse;
  /** A proxy that forwarded the request, and may have responded itself. */
  readonly proxy?: { readonly url: URL; readonly source?: string | undefined };
  /** How often the request was tried; replacing a closed connection isn't counted. */
  readonly attempts: number;
}

export interface Transport {
  /**
   * Sends one request and returns what became of it; redirects are not followed. Never rejects for
   * the peer's faults, only with the reason of `signal`. `fresh`: on a new connection that is not kept.
   */
  send(request: WireRequest, connection?: 'kept' | 'fresh'): Promise<Exchange>;
  /** Ends all connections; requests still under way end as `reset`. */
  close(): Promise<void>;
}

/** A server to which the requests of others are passed on. */
export interface Upstream {
  readonly url: URL;
  /** Makes a connection, which is opened with its first request, and again for one after the server ended it. */
  connect(): UpstreamConnection;
}

/** One of them, for the requests of one caller, one after another. */
export interface UpstreamConnection {
  /** Passes a request on, and its response to `receiver`; resolves with what failed once nothing more comes. */
  pass(request: PassedRequest, receiver: Receiver): Promise<PassFailure | undefined>;
  /** Ends the connection, and a request under way with it. */
  destroy(): void;
}

export type Outgoing = Pick<WireRequest, 'method' | 'headers'> & {
  readonly body: Uint8Array | Readable;
};

/** A request of somebody else, without the headers of the connection that it came over. */
interface PassedRequest extends Outgoing {
  /** In origin form (RFC 9112 3.2.1). */
  readonly target: string;
}

export interface Receiver {
  readonly onHead: (head: ResponseHead) => void;
  /** Nothing more is read until what it returns is resolved. */
  readonly onData: (chunk: Uint8Array) => Promise<void> | undefined;
}

export interface PassFailure {
  /** May ask the server what it speaks, which takes a while. */
  readonly diagnose: () => Promise<Diagnosis>;
  /** The server reset the connection, rather than closing it. */
  readonly isReset: boolean;
  /** There was no connection, or what came over it was not HTTP: nothing of the server's can be passed on. */
  readonly isUnreachable: boolean;
}

export type ResponseHead = Pick<WireResponse, 'status' | 'statusText' | 'headers'>;

/** The value of the first header of that name, in any case. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const isWanted = (candidate: string) =>
    candidate.length === wanted.length && candidate.toLowerCase() === wanted;
  return headers.find(([candidate]) => isWanted(candidate))?.[1];
}

/** The response, or as much of it as came before a failure. */
export function responseOf({ response, partial }: Exchange): WireResponse | undefined {
  return response ?? partial;
}

export function hasResponse(exchange: Exchange): boolean {
  return responseOf(exchange) !== undefined;
}

/** In the place of a status that was not recorded. */
export const unknownStatus = 0;

/** The HTTP status that came, also of a response that failed later. */
export function statusOf(exchange: Exchange): number | undefined {
  return responseOf(exchange)?.status;
}
