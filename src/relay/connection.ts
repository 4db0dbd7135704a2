import type { Socket } from 'node:net';
import { headerOf } from '../client/exchange.ts';
import type { Upstream } from '../client/upstream.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { resetConnection } from '../emulator/tls.ts';
import type { Diagnosis } from '../errors.ts';
import { HttpStream, type Piece, requestFraming, responseFraming } from './http-stream.ts';
import { addressTo, badGateway } from './message-edit.ts';
import { type ChangedMessage, Outlet } from './outlet.ts';
import { SeenExchange, SeenMessage, statusOf } from './seen-exchange.ts';
import { listen, resetAfterLastBytes } from './sockets.ts';

/** What may change an exchange on its way; made when the head of its request has come. */
export interface Interception {
  /** Another body for the request, or undefined; with it the request waits until it is whole. */
  readonly request?: (body: Buffer) => Promise<Uint8Array | undefined>;
  /** Asked when the head of the response has come. */
  readonly response?: () =>
    | ((response: SeenMessage) => Promise<ChangedMessage | undefined>)
    | undefined;
}

export interface ConnectionOptions {
  readonly upstream: Upstream;
  readonly now: () => number;
  readonly intercept?: (exchange: SeenExchange) => Interception | undefined;
  /** Resolves when more exchanges can be taken; nothing is read from callers before. */
  readonly ready?: () => Promise<void> | undefined;
  /** Called when nothing more of an exchange is to come. */
  readonly onExchange: (exchange: SeenExchange) => void;
}

/**
 * One connection of a caller and the one that is made for it to the upstream server. Bytes go on in
 * the order and as soon as they come; the end or reset of one side becomes that of the other. Each side's
 * keep-alive is therefore the other's, and hop-by-hop headers (RFC 9110 7.6.1) stay true as they are.
 */
export class RelayedConnection {
  readonly #caller: Socket;
  readonly #options: ConnectionOptions;
  readonly #requests = new HttpStream(requestFraming, () => false);
  readonly #responses: HttpStream;
  /** Responses are awaited in the order of the requests (RFC 9112 9.3.2). */
  #awaiting: SeenExchange[] = [];
  readonly #interceptions = new Map<SeenExchange, Interception>();
  #sending: SeenExchange | undefined;
  #opening: Promise<void> | undefined;
  #server: Socket | undefined;
  #toServer: Outlet | undefined;
  readonly #toCaller: Outlet;
  #unreachable: Diagnosis | undefined;

  constructor(caller: Socket, options: ConnectionOptions) {
    this.#caller = caller;
    this.#options = options;
    this.#toCaller = new Outlet(caller);
    this.#responses = new HttpStream(
      (head) => responseFraming(head, statusOf({ head }).status, this.#awaiting[0]?.method),
      () => this.#awaiting[0] === undefined || !this.#interceptions.has(this.#awaiting[0]),
    );
    listen(caller, {
      data: (chunk) => this.#fromCaller(chunk),
      end: async () => {
        await this.#passRequest(this.#requests.finish());
        if (this.#server === undefined) this.#caller.end();
        else this.#server.end();
      },
      gone: (error) => this.#onCallerGone(error),
    });
  }

  /** Ends both sides at once. */
  destroy(): void {
    this.#caller.destroy();
    this.#server?.destroy();
  }

  /** Whether no request is under way. */
  get isIdle(): boolean {
    return this.#awaiting.length === 0 && this.#sending === undefined;
  }

  async #fromCaller(chunk: Buffer): Promise<void> {
    await this.#options.ready?.();
    this.#opening ??= this.#open();
    await this.#opening;
    await this.#passRequest(this.#requests.push(chunk));
  }

  async #passRequest(pieces: Iterable<Piece>): Promise<void> {
    this.#toServer?.gather();
    for (const piece of pieces) await this.#onRequestPiece(piece);
    this.#toServer?.flush();
  }

  async #passResponse(pieces: Iterable<Piece>): Promise<void> {
    this.#toCaller.gather();
    for (const piece of pieces) await this.#onResponsePiece(piece);
    this.#toCaller.flush();
  }

  async #open(): Promise<void> {
    const opened = await this.#options.upstream.open();
    if (!opened.ok) {
      this.#unreachable = opened.failure;
      return;
    }
    const server = opened.socket;
    server.allowHalfOpen = true;
    this.#server = server;
    this.#toServer = new Outlet(server);
    listen(server, {
      data: (chunk) => this.#passResponse(this.#responses.push(chunk)),
      end: async () => {
        await this.#passResponse(this.#responses.finish());
        await this.#failAwaiting({ isCut: true });
        this.#caller.end();
      },
      gone: (error) => this.#onServerGone(error),
    });
    if (this.#caller.destroyed) resetConnection(server);
  }

  async #onRequestPiece(piece: Piece): Promise<void> {
    if (piece.kind === 'head') this.#beginRequest(piece.head);
    const exchange = this.#sending;
    if (piece.kind === 'body') exchange?.request.add(piece.data);
    const isFirst = piece.kind === 'head' && expectsContinue(piece.head);
    if (this.#toServer !== undefined) {
      const bytes =
        piece.kind === 'head' ? addressTo(this.#options.upstream, piece.bytes) : piece.bytes;
      const { now } = this.#options;
      const cameAt = now();
      await this.#toServer.pass({ ...piece, bytes });
      if (exchange !== undefined && piece.kind === 'end') exchange.heldMs = now() - cameAt;
    } else if (piece.kind === 'opaque') this.#caller.end();
    else if (isFirst || piece.kind === 'end') this.#refuse();
    const isOver = piece.kind === 'end' || exchange?.ownStatus !== undefined;
    if (isOver && exchange !== undefined) this.#endRequest(exchange, piece.kind === 'end');
  }

  #beginRequest(head: SeenMessage['head']): void {
    const exchange = new SeenExchange(new SeenMessage(head), this.#options.now());
    this.#sending = exchange;
    this.#awaiting.push(exchange);
    const interception = this.#options.intercept?.(exchange);
    if (interception === undefined) return;
    this.#interceptions.set(exchange, interception);
    const { request } = interception;
    if (request === undefined) return;
    this.#toServer?.hold({
      framing: requestFraming(head),
      // the body comes only once the other side has seen the head
      headFirst: expectsContinue(head),
      change: async () => {
        const body = await request(exchange.request.body);
        return body && { body };
      },
      onChanged: (body) => {
        exchange.request.changed = body;
      },
    });
  }

  #endRequest(exchange: SeenExchange, isComplete: boolean): void {
    exchange.request.isComplete = isComplete;
    this.#sending = undefined;
    this.#finishIfOver(exchange);
  }

  async #onResponsePiece(piece: Piece): Promise<void> {
    const exchange = this.#awaiting[0];
    if (piece.kind === 'head' && exchange !== undefined) this.#beginResponse(piece.head, exchange);
    if (piece.kind === 'body') exchange?.response?.add(piece.data);
    if (piece.kind === 'end' && exchange?.response !== undefined)
      exchange.response.isComplete = true;
    const cameAt = this.#options.now();
    await this.#toCaller.pass(piece);
    if (piece.kind === 'end' && exchange?.response?.isComplete) this.#endResponse(exchange, cameAt);
    if (piece.kind !== 'opaque') return;
    const isCut = this.#server?.readableEnded;
    await this.#failAwaiting(isCut ? { isCut } : { unreadable: 'it is not HTTP/1.1' });
  }

  #beginResponse(head: SeenMessage['head'], exchange: SeenExchange): void {
    const message = new SeenMessage(head);
    const { status } = statusOf(message);
    if (status < 200 && status !== 101) return; // RFC 9110 15.2: the final response is still to come
    exchange.response = message;
    if (status === 101) {
      this.#requests.abandon();
      this.#endResponse(exchange, this.#options.now());
      return;
    }
    const change = this.#interceptions.get(exchange)?.response?.();
    if (change === undefined) return;
    const framing = responseFraming(head, status, exchange.method);
    this.#toCaller.hold({ framing, headFirst: false, change: () => change(message) });
  }

  #endResponse(exchange: SeenExchange, cameAt: number): void {
    this.#awaiting = this.#awaiting.filter((other) => other !== exchange);
    this.#finishIfOver(exchange, cameAt);
  }

  #finishIfOver(exchange: SeenExchange, endedAt = this.#options.now()): void {
    exchange.endedAt = endedAt;
    if (this.#awaiting.includes(exchange) || this.#sending === exchange) return;
    this.#interceptions.delete(exchange);
    this.#options.onExchange(exchange);
  }

  /** Responds for a server that can't be reached. */
  #refuse(): void {
    const exchange = this.#awaiting.shift();
    const failure = this.#unreachable;
    if (exchange === undefined || failure === undefined) return;
    exchange.failure = failure;
    exchange.ownStatus = 502;
    this.#caller.end(badGateway(failure));
  }

  async #failAwaiting(facts: {
    readonly isCut?: boolean;
    readonly errorCode?: string;
    readonly unreadable?: string;
  }) {
    for (const exchange of this.#takeAll()) {
      const { response } = exchange;
      const length = headerOf(response?.head.headers ?? [], 'content-length');
      exchange.failure = await this.#options.upstream.diagnose({
        phase: response === undefined ? 'first-byte' : 'body',
        bodyBytes: response?.size,
        announcedBytes: length === undefined ? undefined : Number(length),
        ...facts,
      });
      this.#finishIfOver(exchange);
    }
  }

  /** Everything under way, which is over with this. */
  #takeAll(): readonly SeenExchange[] {
    const taken = this.#awaiting;
    this.#awaiting = [];
    this.#sending = undefined;
    return taken;
  }

  async #onServerGone(error: Error | undefined): Promise<void> {
    if (error === undefined && this.#caller.writableEnded) return;
    await this.#failAwaiting({ errorCode: 'ECONNRESET' });
    await resetAfterLastBytes(this.#caller);
  }

  async #onCallerGone(error: Error | undefined): Promise<void> {
    for (const exchange of this.#takeAll()) {
      const hasResponse = exchange.response?.isComplete === true;
      if (!hasResponse) exchange.failure ??= callerGone(exchange, this.#options.now());
      this.#finishIfOver(exchange);
    }
    if (this.#server === undefined) return;
    if (error === undefined) this.#server.destroySoon();
    else await resetAfterLastBytes(this.#server);
  }
}

function expectsContinue({ headers }: SeenMessage['head']): boolean {
  return headerOf(headers, 'expect')?.toLowerCase() === '100-continue';
}

function callerGone({ startedAt }: SeenExchange, now: number): Diagnosis {
  return diagnosis(
    'reset',
    `The caller closed the connection after ${Math.round(now - startedAt)} ms, before the whole response had come.`,
    'Check the time limit of the caller, and what the response was waiting for.',
  );
}
