import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { WireRequest } from './exchange.ts';
import type { Incoming } from './incoming.ts';
import type { Limit } from './limit.ts';
import { type Progress, toWireFailure, WireFailure } from './progress.ts';
import {
  credentials,
  isBare,
  isForwarded,
  maxFramingFactor,
  maxHeadBytes,
  maxOverheadBytes,
  openRoute,
  type Route,
} from './route.ts';

/** One request under way on a connection. */
interface Attempt {
  readonly incoming: Incoming;
  readonly progress: Progress;
  readonly limit: Limit;
  /** What the connection had received before. */
  bytesBefore: number;
}

/**
 * One kept connection that carries one request at a time, so that every event of its socket
 * belongs to that request. undici's Client speaks HTTP and connects again where the socket has
 * gone; all its own time limits are off, since one limit bounds the whole request.
 */
export class Connection {
  readonly #client: Client;
  readonly #route: Route;
  #attempt: Attempt | undefined;
  #socket: Socket | undefined;

  constructor(route: Route) {
    this.#route = route;
    const origin = isForwarded(route) ? (route.proxy?.url ?? route.target) : route.target;
    this.#client = new Client(origin.origin, {
      connect: (_, callback) => {
        this.#open().then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(toWireFailure(error), null),
        );
      },
      maxHeaderSize: maxHeadBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Sends `request` to `requestTarget` and fills `incoming`; rejects with a WireFailure, also when
   * the limit ends it.
   */
  async perform(
    request: WireRequest,
    requestTarget: string,
    incoming: Incoming,
    progress: Progress,
    limit: Limit,
  ): Promise<void> {
    const bytesBefore = this.#socket?.bytesRead ?? 0;
    this.#attempt = { incoming, progress, limit, bytesBefore };
    progress.atProxy = isForwarded(this.#route);
    limit.onEnd = (reason) => {
      incoming.fail(reason);
      this.destroy();
    };
    try {
      this.#client.dispatch(this.#dispatchOptions(request, requestTarget), incoming);
      await incoming.done;
      // undici takes a reset for the end of a body that has no other; RFC 9112 8: it is cut short.
      if (wasReset(this.#socket)) throw toWireFailure(this.#socket?.errored);
    } catch (error) {
      if (progress.phase === 'first-byte' && this.#hasUnsentBytes()) progress.phase = 'request';
      throw error;
    } finally {
      limit.onEnd = undefined;
      this.#attempt = undefined;
    }
  }

  /** Whether it may keep the process from ending while it is idle; undici sees to a bare socket that it doesn't. */
  get holdsProcess(): boolean {
    return !isBare(this.#route);
  }

  /** Ends the connection, and a request under way with it. */
  destroy(): void {
    void this.#client.destroy();
  }

  async #open(): Promise<Socket> {
    if (this.#attempt === undefined) throw new WireFailure({ errorCode: 'ECONNABORTED' });
    const { progress, limit } = this.#attempt;
    const socket = await openRoute(this.#route, progress, limit.cancellation);
    this.#socket = socket;
    if (this.#attempt !== undefined) this.#attempt.bytesBefore = socket.bytesRead;
    socket.on('readable', () => this.#watch(socket));
    return socket;
  }

  /** Ends an answer that goes on without becoming longer; called before undici reads what came. */
  #watch(socket: Socket): void {
    if (this.#attempt === undefined) return;
    const { incoming, bytesBefore } = this.#attempt;
    const room = maxOverheadBytes + incoming.bodyBytes * maxFramingFactor;
    if (socket.bytesRead - bytesBefore <= room + socket.readableLength) return;
    incoming.fail(new WireFailure({ isEndless: true }));
    this.destroy();
  }

  #hasUnsentBytes(): boolean {
    return (this.#socket?.writableLength ?? 0) > 0;
  }

  #dispatchOptions({ method, headers, body }: WireRequest, path: string) {
    const flat: string[] = [];
    for (const [name, value] of headers) {
      // undici writes these itself, from its own knowledge of the connection and the body.
      if (name !== 'connection' && name !== 'content-length') flat.push(name, value);
    }
    if (isForwarded(this.#route)) flat.push(...credentials(this.#route.proxy).flat());
    return { method, path, headers: flat, body: body.length === 0 ? null : body };
  }
}

function wasReset(socket: Socket | undefined): boolean {
  return (socket?.errored as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
}
