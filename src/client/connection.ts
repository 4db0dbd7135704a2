import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Client } from 'undici';
import type { WireRequest } from './exchange.ts';
import type { TimeLimit } from './progress.ts';
import { type Progress, toWireFailure, WireFailure } from './progress.ts';
import type { ResponseReader } from './response.ts';
import { credentials, isForwarded, maxHeaderBytes, openRoute, type Route } from './route.ts';

/**
 * How much more than the body a response may take: informational responses, the framing of chunks
 * (six bytes for one, at the worst), their extensions and trailers, which no other limit counts.
 */
const maxOverheadBytes = 1024 * 1024;
const maxFramingFactor = 8;

/** A request for a connection. */
type Outgoing = Pick<WireRequest, 'method' | 'headers'> & { readonly body: Uint8Array | Readable };

/** One request under way on a connection. */
interface RequestUnderWay {
  readonly response: ResponseReader;
  readonly progress: Progress;
  readonly limit: TimeLimit;
  /** What may become a `100 Continue`; undefined once it is none. */
  held: Buffer | undefined;
  /** What the connection had received before. */
  bytesBefore: number;
}

/**
 * One kept connection that carries one request at a time, so that every event of its socket belongs
 * to that request: undici's own pools don't say which request a connection was made for. undici's
 * Client speaks HTTP and reconnects once the socket has gone; its own time limits are off, since one
 * limit bounds the whole request.
 */
export class Connection {
  readonly #client: Client;
  readonly #route: Route;
  #underWay: RequestUnderWay | undefined;
  #socket: Socket | undefined;
  readonly #onIdleClose: (() => void) | undefined;

  /** @param onIdleClose called when the peer ends the connection while no request is under way */
  constructor(route: Route, onIdleClose?: () => void) {
    this.#route = route;
    this.#onIdleClose = onIdleClose;
    const origin = isForwarded(route) ? (route.proxy?.url ?? route.target) : route.target;
    this.#client = new Client(origin.origin, {
      connect: (_, callback) => {
        this.#open().then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(toWireFailure(error), null),
        );
      },
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Sends `request` to `requestTarget` and fills `response`; rejects with a WireFailure, also when
   * the limit ends it.
   */
  async perform(
    request: Outgoing,
    requestTarget: string,
    response: ResponseReader,
    progress: Progress,
    limit: TimeLimit,
  ): Promise<void> {
    const bytesBefore = this.#socket?.bytesRead ?? 0;
    this.#underWay = { response, progress, limit, held: Buffer.alloc(0), bytesBefore };
    progress.atProxy = isForwarded(this.#route);
    limit.onEnd = () => {
      response.fail(limit.reason);
      this.destroy();
    };
    try {
      this.#client.dispatch(this.#dispatchOptions(request, requestTarget), response);
      await response.done;
      // undici takes a reset for the end of a body without a length; RFC 9112 8: it is incomplete.
      if (this.wasReset) throw toWireFailure(this.#socket?.errored);
    } catch (error) {
      const isUnsent = (this.#socket?.writableLength ?? 0) > 0;
      if (progress.phase === 'first-byte' && isUnsent) progress.phase = 'request';
      throw error;
    } finally {
      limit.onEnd = undefined;
      this.#underWay = undefined;
    }
  }

  /** Whether the peer reset the latest connection. */
  get wasReset(): boolean {
    return (this.#socket?.errored as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
  }

  /** Ends the connection, and a request under way with it. */
  destroy(): void {
    void this.#client.destroy();
  }

  async #open(): Promise<Socket> {
    if (this.#underWay === undefined) throw new WireFailure({ errorCode: 'ECONNABORTED' });
    const { progress, limit } = this.#underWay;
    const socket = await openRoute(this.#route, progress, limit.signal);
    this.#socket = socket;
    if (this.#underWay !== undefined) this.#underWay.bytesBefore = socket.bytesRead;
    socket.on('readable', () => this.#watch(socket));
    socket.once('close', () => this.#underWay ?? this.#onIdleClose?.());
    return socket;
  }

  /** Ends a response that goes on without becoming longer; called before undici reads what came. */
  #watch(socket: Socket): void {
    if (this.#underWay === undefined) return;
    const { response, held, bytesBefore } = this.#underWay;
    const allowed = maxOverheadBytes + response.bodyBytes * maxFramingFactor;
    if (socket.bytesRead - bytesBefore <= allowed + socket.readableLength) {
      if (held !== undefined) dropContinue(socket, this.#underWay, held);
      return;
    }
    response.fail(new WireFailure({ isEndless: true }));
    this.destroy();
  }

  #dispatchOptions({ method, headers, body }: Outgoing, path: string) {
    const isWhole = body instanceof Uint8Array;
    // undici writes these itself, from its own knowledge of the connection and the body.
    const known = isWhole ? /^(?:connection|content-length)$/ : /^connection$/;
    const own = headers.filter(([name]) => !known.test(name));
    const added = isForwarded(this.#route) ? credentials(this.#route.proxy) : [];
    return {
      method,
      path,
      headers: [...own, ...added].flat(),
      body: isWhole && body.length === 0 ? null : body,
    };
  }
}

/**
 * Takes every `100 Continue` out of the bytes before a response: RFC 9110 15.2 has a client accept one
 * that it didn't ask for, and undici ends the connection instead. Other bytes go back for undici to read.
 */
function dropContinue(socket: Socket, underWay: RequestUnderWay, held: Buffer): void {
  const chunk = socket.read() as Buffer | null;
  if (chunk === null) return;
  underWay.response.onResponseStarted();
  const bytes = Buffer.concat([held, chunk]);
  const [heads = ''] = continues.exec(bytes.toString('latin1')) ?? [];
  const rest = bytes.subarray(heads.length);
  const mayFollow = rest.length < maxHeaderBytes && startsContinue(rest.toString('latin1'));
  underWay.held = mayFollow ? rest : undefined;
  if (!mayFollow) socket.unshift(rest);
}

const continues = /^(?:HTTP\/1\.[01] 100[ \r][\s\S]*?\r\n\r\n)+/;

function startsContinue(text: string): boolean {
  if (/^HTTP\/1\.[01] 100[ \r]/.test(text)) return true;
  return ['HTTP/1.1 100', 'HTTP/1.0 100'].some((line) => line.startsWith(text));
}

/** The kept connections of one transport: as many as there were requests at the same time. */
export class Connections {
  readonly #idle = new Map<string, Connection[]>();
  readonly #busy = new Set<Connection>();

  /** An idle connection, or a new one; with `fresh`, always a new one. */
  take(route: Route, fresh: boolean): Connection {
    const idle = fresh ? undefined : this.#idle.get(route.key)?.pop();
    const connection = idle ?? new Connection(route);
    this.#busy.add(connection);
    return connection;
  }

  /** Returns a connection after a complete response, for the next request of that route. */
  keep(route: Route, connection: Connection): void {
    if (!this.#busy.delete(connection)) return; // closed meanwhile
    this.#idle.set(route.key, [...(this.#idle.get(route.key) ?? []), connection]);
  }

  /** Ends a connection that can't be used again. */
  drop(connection: Connection): void {
    this.#busy.delete(connection);
    connection.destroy();
  }

  /** Ends all connections, and the requests under way with them. */
  closeAll(): void {
    const idle = [...this.#idle.values()].flat();
    for (const connection of [...this.#busy, ...idle]) connection.destroy();
    this.#busy.clear();
    this.#idle.clear();
  }
}
