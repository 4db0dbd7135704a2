import { encodeUtf8 } from '../bytes.ts';
import { contentType } from '../protocol/endpoints.ts';

/** One HTTP request as the handlers see it. */
export interface EmulatorRequest {
  readonly method: string;
  /** The path alone as it came, without the query. */
  readonly path: string;
  /** What stands after `?`, as it came; empty or absent where there is nothing. */
  readonly query?: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The caller's IP address; absent where it isn't known, which counts as not loopback. */
  readonly peer?: string;
  /** The body was larger than the adapter takes, and `body` is only its beginning. */
  readonly bodyTooLarge?: boolean;
}

/** How the adapter sends an answer, where that is part of what is wrong with it. */
export interface Delivery {
  /** Milliseconds to wait before the first byte. */
  readonly delayMs?: number;
  /**
   * - `reset`: the connection is reset instead of answering
   * - `close`: the connection is closed instead of answering
   * - `truncate`: half of the announced body is sent, then the connection is closed
   * - `silence`: the connection stays open and nothing is sent
   */
  readonly breakOff?: 'reset' | 'close' | 'truncate' | 'silence';
}

/** One HTTP answer; the adapter adds Content-Length, Date and Connection. */
export interface EmulatorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly delivery?: Delivery;
  /** Sent after the head in the place of `body`, for as long as both sides like. */
  readonly stream?: OpenStream;
}

/** Where an endless answer goes. */
export interface StreamSink {
  /** Sends text (UTF-8); false once the other side takes too little to go on. */
  write(text: string): boolean;
  end(): void;
}

/** Begins to write; what it returns is called once, when the connection is gone. */
export type OpenStream = (sink: StreamSink) => () => void;

/** An answer with `body` (encoded JSON) under the content type of the interface. */
export function jsonAnswer(
  status: number,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): EmulatorAnswer {
  return { status, headers: { 'content-type': contentType, ...headers }, body };
}

/** An answer with `value` as JSON, over several lines: for the eyes of a person with curl. */
export function readableAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): EmulatorAnswer {
  return jsonAnswer(status, encodeUtf8(`${JSON.stringify(value, null, 2)}\n`), headers);
}
