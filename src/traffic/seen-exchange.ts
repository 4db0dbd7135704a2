import { CollectedBytes } from '../bytes.ts';
import { type Headers, headerOf, type ResponseHead } from '../client/exchange.ts';
import { decodeBody } from '../client/response.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { Diagnosis } from '../errors.ts';
import { type CapturedExchange, type CapturedMessage, subjectOf } from './capture.ts';

/** Of each body this much is stored for judging; the rest is only forwarded. */
export const maxKeptBytes = 1_048_576;

/** One message as it passes: its headers, and the beginning of its body. */
export class SeenMessage {
  readonly headers: Headers;
  isComplete = false;
  /** The body that was sent on in place of the one that came. */
  changed: Uint8Array | undefined;
  /** Bytes of the body so far, without its transfer coding. */
  size = 0;
  readonly #kept = new CollectedBytes(maxKeptBytes);

  constructor(headers: Headers) {
    this.headers = headers;
  }

  add(data: Uint8Array): void {
    this.size += data.length;
    this.#kept.add(data);
  }

  /** The stored part of the body, its content coding as it came. */
  get body(): Buffer {
    return this.#kept.bytes;
  }

  /** The message with its body decoded; as it came where that is impossible. */
  async captured(view: 'came' | 'went'): Promise<CapturedMessage & { readonly headers: Headers }> {
    const { headers } = this;
    const isCut = this.size > maxKeptBytes || !this.isComplete;
    const encoded = (view === 'went' ? this.changed : undefined) ?? this.body;
    const coding = headerOf(headers, 'content-encoding');
    const decoded = await decodeBody(encoded, coding, maxKeptBytes);
    return { headers, body: decoded instanceof Uint8Array ? decoded : encoded, isCut };
  }
}

/** One exchange as it passes. */
export class SeenExchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly startedAt: number;
  readonly request: SeenMessage;
  response: SeenMessage | undefined;
  /** Of the response. */
  head: ResponseHead | undefined;
  /** Why the response is missing or incomplete. */
  failure: Diagnosis | undefined;
  /** The status of the response that the relay itself gave, where the other side could not be reached. */
  ownStatus: number | undefined;
  endedAt: number;
  /** Private halves of the public keys that the relay may have sent, the likeliest first. */
  privateKeys: readonly RsaPrivateKey[] = [];
  /** How long the relay itself delayed the request, to change it. */
  heldMs = 0;

  constructor(
    request: { readonly method: string; readonly target: string; readonly headers: Headers },
    now: number,
  ) {
    this.method = request.method;
    this.target = request.target;
    this.request = new SeenMessage(request.headers);
    this.startedAt = now;
    this.endedAt = now;
  }

  /** Bytes of both bodies that are kept for judging. */
  get keptBytes(): number {
    return this.request.body.length + (this.response?.body.length ?? 0);
  }

  /** The response as its head has come. */
  respond(head: ResponseHead): SeenMessage {
    this.head = head;
    this.response = new SeenMessage(head.headers);
    return this.response;
  }

  /**
   * The exchange as one side saw it: the caller, or the side that was called.
   * @param source where it was seen, such as `exchange 3`
   */
  async captured(source: string, side: 'caller' | 'called'): Promise<CapturedExchange> {
    const { method, target, startedAt, endedAt, heldMs, failure } = this;
    const request = await this.request.captured(side === 'caller' ? 'came' : 'went');
    const response = await this.response?.captured(side === 'caller' ? 'went' : 'came');
    const { status, statusText } = this.head ?? {};
    return {
      source,
      ...subjectOf(request, response),
      startedAt,
      durationMs: endedAt - startedAt - heldMs,
      request: { ...request, method, target },
      response: response && { ...response, status, statusText },
      failure,
    };
  }
}
