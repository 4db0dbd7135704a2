import { encodeUtf8 } from '../bytes.ts';
import { contentType } from '../protocol/endpoints.ts';

export interface EmulatorRequest {
  readonly method: string;
  /** The path alone as it came, without the query. */
  readonly path: string;
  /** What follows `?`, as it came. */
  readonly query?: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The caller's IP address; an unknown one counts as not loopback. */
  readonly peer?: string;
  /** The same for all requests that came over the same connection. */
  readonly connection?: number;
  /** `body` is only the beginning of a body above the server's limit. */
  readonly bodyTooLarge?: boolean;
}

/** What is wrong with the way in which the server sends a response. */
export interface Delivery {
  /** Milliseconds to wait before the first byte. */
  readonly delayMs?: number;
  /**
   * - `reset`: the connection is reset without a response
   * - `truncate`: half of the announced body is sent, then the connection is closed
   * - `silence`: the connection stays open and nothing is sent
   */
  readonly breakOff?: 'reset' | 'truncate' | 'silence';
}

/** One HTTP response; the server adds Content-Length, Date and Connection. */
export interface EmulatorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly delivery?: Delivery;
  /** Sent after the headers in place of `body`. */
  readonly stream?: OpenStream;
}

export interface StreamSink {
  /** Sends text (UTF-8); ends the connection where too much of it waits for the other side. */
  write(text: string): void;
  end(): void;
}

/** Begins to write; the function that it returns is called once, when the connection is closed. */
export type OpenStream = (sink: StreamSink) => () => void;

/** A response with `body` (encoded JSON) under the content type of the interface. */
export function jsonResponse(
  status: number,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): EmulatorResponse {
  return { status, headers: { 'content-type': contentType, ...headers }, body };
}

/** A response with `value` as indented JSON. */
export function readableResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): EmulatorResponse {
  return jsonResponse(status, encodeUtf8(`${JSON.stringify(value, null, 2)}\n`), headers);
}
