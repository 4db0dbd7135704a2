import type { Headers } from '../client/exchange.ts';
import { headerOf } from '../client/exchange.ts';
import { decodeBody } from '../client/response.ts';
import type { Diagnosis } from '../errors.ts';
import { type CapturedExchange, type CapturedMessage, subjectOf } from './capture.ts';
import type { MessageHead } from './http-stream.ts';

/** Of each body as much is kept for judging; the rest is only forwarded. */
export const maxKeptBytes = 1_048_576;

/** One message as it passes: its head, and the beginning of its body. */
export class SeenMessage {
  readonly head: MessageHead;
  isComplete = false;
  #size = 0;
  #chunks: Buffer[] = [];

  constructor(head: MessageHead) {
    this.head = head;
  }

  add(data: Buffer): void {
    const room = Math.max(0, maxKeptBytes - this.#size);
    this.#size += data.length;
    if (room > 0 && data.length > 0) this.#chunks.push(data.subarray(0, room));
  }

  /** Bytes of the body so far, without its transfer coding. */
  get size(): number {
    return this.#size;
  }

  /** What is kept of the body, its content coding as it came. */
  get body(): Buffer {
    const body = Buffer.concat(this.#chunks);
    this.#chunks = [body];
    return body;
  }

  set body(body: Uint8Array) {
    this.#chunks = [Buffer.from(body)];
    this.#size = body.length;
  }

  /** The message with its body decoded; as it came where that is impossible. */
  async captured(): Promise<CapturedMessage & { readonly headers: Headers }> {
    const { headers } = this.head;
    const isCut = this.#size > maxKeptBytes || !this.isComplete;
    const decoded = await decodeBody(
      this.body,
      headerOf(headers, 'content-encoding'),
      maxKeptBytes,
    );
    const body = decoded.ok ? decoded.body : this.body;
    return { headers, body, ...(isCut && { isCut }) };
  }
}

/** One exchange as it passes. */
export class SeenExchange {
  readonly startedAt: number;
  readonly request: SeenMessage;
  /** The final response. */
  response: SeenMessage | undefined;
  /** Why the response is missing or incomplete. */
  failure: Diagnosis | undefined;
  /** The status of the response that the relay itself gave, where the other side could not be reached. */
  ownStatus: number | undefined;
  endedAt: number;

  constructor(request: SeenMessage, now: number) {
    this.request = request;
    this.startedAt = now;
    this.endedAt = now;
  }

  get method(): string {
    return this.request.head.startLine.split(' ', 1)[0] ?? '';
  }

  /** @param source where it was seen, such as `exchange 3` */
  async captured(source: string): Promise<CapturedExchange> {
    const { startedAt, endedAt, failure } = this;
    const request = await this.request.captured();
    const response = await this.response?.captured();
    const [, target = ''] = /^\S+ (.*) \S+$/.exec(this.request.head.startLine) ?? [];
    return {
      source,
      ...subjectOf(request, response),
      startedAt,
      durationMs: endedAt - startedAt,
      request: { ...request, method: this.method, target },
      ...(this.response && response && { response: { ...response, ...statusOf(this.response) } }),
      ...(failure && { failure }),
    };
  }
}

/** The status line's status and reason (RFC 9112 4). */
export function statusOf({ head }: Pick<SeenMessage, 'head'>): {
  status: number;
  statusText: string;
} {
  const [, status, statusText = ''] = /^\S+ (\d{3}) ?(.*)$/.exec(head.startLine) ?? [];
  return { status: Number(status), statusText };
}
