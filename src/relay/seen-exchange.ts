import type { Headers } from '../client/exchange.ts';
import { headerOf } from '../client/exchange.ts';
import { decodeBody } from '../client/response.ts';
import type { Diagnosis } from '../errors.ts';
import { type CapturedExchange, type CapturedMessage, subjectOf } from './capture.ts';
import type { MessageHead } from './http-stream.ts';

/** Of each body this much is stored for judging; the rest is only forwarded. */
export const maxKeptBytes = 1_048_576;

/** One message as it passes: its head, and the beginning of its body. */
export class SeenMessage {
  readonly head: MessageHead;
  isComplete = false;
  /** The body that was sent on in place of the one that came. */
  changed: Uint8Array | undefined;
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

  /** The stored part of the body, its content coding as it came. */
  get body(): Buffer {
    const body = Buffer.concat(this.#chunks);
    this.#chunks = [body];
    return body;
  }

  /** The message with its body decoded; as it came where that is impossible. */
  async captured(view: 'came' | 'went'): Promise<CapturedMessage & { readonly headers: Headers }> {
    const { headers } = this.head;
    const isCut = this.#size > maxKeptBytes || !this.isComplete;
    const encoded = (view === 'went' ? this.changed : undefined) ?? this.body;
    const coding = headerOf(headers, 'content-encoding');
    const decoded = await decodeBody(encoded, coding, maxKeptBytes);
    return { headers, body: decoded.ok ? decoded.body : encoded, ...(isCut && { isCut }) };
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
  /** How long the relay itself delayed the request, to change it. */
  heldMs = 0;

  constructor(request: SeenMessage, now: number) {
    this.request = request;
    this.startedAt = now;
    this.endedAt = now;
  }

  get method(): string {
    return this.request.head.startLine.split(' ', 1)[0] ?? '';
  }

  /**
   * The exchange as one side saw it: the caller, or the side that was called.
   * @param source where it was seen, such as `exchange 3`
   */
  async captured(source: string, side: 'caller' | 'called'): Promise<CapturedExchange> {
    const { startedAt, endedAt, heldMs, failure } = this;
    const request = await this.request.captured(side === 'caller' ? 'came' : 'went');
    const response = await this.response?.captured(side === 'caller' ? 'went' : 'came');
    const [, target = ''] = /^\S+ (.*) \S+$/.exec(this.request.head.startLine) ?? [];
    return {
      source,
      ...subjectOf(request, response),
      startedAt,
      durationMs: endedAt - startedAt - heldMs,
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
