import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import type { Diagnosis } from '../errors.ts';
import type { Exchange, Outgoing, Receiver, Transport, Upstream, WireRequest } from './exchange.ts';
import { asSent, checkUserHeaders } from './headers.ts';
import { Progress, toWireFailure, WireFailure } from './progress.ts';
import {
  diagnose,
  IncomingResponse,
  type Outcome,
  ResponseReader,
  readOutcome,
} from './response.ts';
import {
  createRoutes,
  credentials,
  isForwarded,
  maxHeaderBytes,
  openRoute,
  type Route,
  SpokenProtocols,
} from './route.ts';
import type { TransportOptions } from './transport-options.ts';

/**
 * Makes a transport.
 * @throws AuthcliError `usage` for headers, certificates or proxies that can't be used.
 */
export function createTransport(options: TransportOptions): Transport {
  const { headers: own = [], retries = 0, signal, now, timeoutMs } = options;
  checkUserHeaders(own);
  if (signal !== undefined) setMaxListeners(0, signal); // one for each request under way
  const routeTo = createRoutes(options);
  /** All of them, and those without a request, by route: as many as there were requests at the same time. */
  const connections = new Set<Connection>();
  const idle = new Map<string, Connection[]>();
  const protocols = new SpokenProtocols();

  /** Sends a request once, under one time limit; rejects only with the reason of the signal. */
  async function attempt(
    request: WireRequest,
    route: Route,
    connection: 'kept' | 'fresh',
    attempts: number,
  ): Promise<Exchange> {
    signal?.throwIfAborted();
    const startedAt = now();
    const progress = new Progress(now, timeoutMs + (request.patienceMs ?? 0), signal);
    try {
      const outcome = await perform(request, route, connection, progress);
      if (outcome.response === undefined) signal?.throwIfAborted();
      const { lastStep, timings } = progress;
      const { url: proxy, source } = (isForwarded(route) && route.proxy) || {};
      const way = proxy && { proxy: { url: proxy, source } };
      const durationMs = lastStep - startedAt;
      return { attempts, request, startedAt, durationMs, timings, ...way, ...outcome };
    } finally {
      progress.release();
    }
  }

  /**
   * The peer may have closed a kept connection just before it was used: then not a byte of a
   * response comes, and the request is sent on a new connection.
   */
  async function perform(
    request: WireRequest,
    route: Route,
    connection: 'kept' | 'fresh' | 'replaced',
    progress: Progress,
  ): Promise<Outcome> {
    const response = new IncomingResponse(progress);
    const kept = connection === 'kept' ? idle.get(route.key)?.pop() : undefined;
    const taken = kept ?? new Connection(route);
    connections.add(taken);
    try {
      await taken.perform(request, route.requestTarget, response);
      if (response.stopped || connection === 'fresh') drop(taken);
      else if (connections.has(taken)) idle.set(route.key, [...(idle.get(route.key) ?? []), taken]);
      protocols.markResponded(route);
    } catch (error) {
      progress.step(progress.phase);
      drop(taken);
      const { errorCode = '' } = toWireFailure(error).facts;
      const wasClosed =
        /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(errorCode) &&
        !progress.fresh &&
        !progress.responded;
      if (wasClosed && connection === 'kept' && progress.reason === undefined) {
        progress.restart();
        return perform(request, route, 'replaced', progress);
      }
      const failure = await diagnoseFailure(error, route, response, protocols);
      return { failure, partial: response.received };
    }
    const outcome = await readOutcome(response, route);
    progress.end('bodyMs');
    return outcome;
  }

  function drop(connection: Connection): void {
    connections.delete(connection);
    connection.destroy();
  }

  return {
    async send(request, connection = 'kept') {
      const sent = asSent(request, own);
      const route = routeTo(request.url);
      for (let attempts = 1; ; attempts += 1) {
        const exchange = await attempt(sent, route, connection, attempts);
        const { failure, partial } = exchange;
        // A verdict on a certificate is not a matter of luck.
        const isRepeatable = failure && partial === undefined && !failure.code.startsWith('tls-');
        if (attempts > retries || !isRepeatable) return exchange;
        const pauseMs = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
        await pause(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
      }
    },
    async close() {
      connections.forEach(drop);
      idle.clear();
    },
  };
}

/** The first pause before a repetition; each next one is twice as long, up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 2000;

/**
 * Makes the way to a server, with the options of a transport: those that concern connections. The time limit
 * ends with the request sent.
 * @throws AuthcliError `usage` for certificates or proxies that can't be used
 */
export function createUpstream(url: URL, options: TransportOptions): Upstream {
  const route = createRoutes(options)(url);
  const prefix = isForwarded(route) ? route.target.origin : '';
  const protocols = new SpokenProtocols();
  return {
    url,
    connect() {
      const connection = new Connection(route);
      return {
        async pass(request, receiver) {
          const progress = new Progress(options.now, options.timeoutMs, options.signal);
          const response = new PassedResponse(progress, receiver);
          try {
            await connection.perform(request, prefix + request.target, response);
            protocols.markResponded(route);
            if (response.stopped) connection.destroy();
            return undefined;
          } catch (error) {
            const { facts } = toWireFailure(error);
            return {
              diagnose: () => diagnoseFailure(error, route, response, protocols),
              isReset: connection.wasReset,
              isUnreachable: !response.isSent || facts.unreadable !== undefined,
            };
          } finally {
            progress.release();
          }
        },
        destroy: () => connection.destroy(),
      };
    },
  };
}

class PassedResponse extends ResponseReader {
  /** There was a connection for the request. */
  isSent = false;
  readonly #receiver: Receiver;

  constructor(progress: Progress, receiver: Receiver) {
    super(progress);
    this.#receiver = receiver;
  }

  override onRequestStart(): void {
    super.onRequestStart();
    this.isSent = true;
    this.progress.release();
  }

  override onResponseStart(...args: Parameters<ResponseReader['onResponseStart']>): void {
    super.onResponseStart(...args);
    if (this.head !== undefined) this.#receiver.onHead(this.head);
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.bodyBytes += chunk.length;
    const waiting = this.#receiver.onData(chunk);
    if (waiting === undefined) return;
    controller.pause();
    void waiting.then(() => controller.resume());
  }
}

async function diagnoseFailure(
  error: unknown,
  route: Route,
  { progress, bodyBytes, announcedBytes }: ResponseReader,
  protocols: SpokenProtocols,
): Promise<Diagnosis> {
  const seen = { bodyBytes, announcedBytes };
  const { reason, timeoutMs } = progress;
  if (reason !== undefined) return diagnose({ ...seen, timeoutMs }, route, progress);
  const { facts } = toWireFailure(error);
  const speaks = await protocols.find(facts, route, progress);
  return diagnose({ ...facts, ...seen, speaks }, route, progress);
}

/**
 * How much more than the body a response may take: informational responses, the framing of chunks
 * (six bytes for one, at the worst), their extensions and trailers, which no other limit counts.
 */
const maxOverheadBytes = 1024 * 1024;
const maxFramingFactor = 8;

interface RequestUnderWay {
  readonly response: ResponseReader;
  /** What may become a `100 Continue`; undefined once it is none. */
  held: Buffer | undefined;
  /** What the connection had received before. */
  bytesBefore: number;
}

/**
 * One kept connection that carries one request at a time, so that every event of its socket belongs to that request.
 * undici's Client speaks HTTP and reconnects; its own time limits are off, since one limit bounds the whole request.
 */
class Connection {
  readonly #client: Client;
  readonly #route: Route;
  #underWay: RequestUnderWay | undefined;
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
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Sends `request` to `requestTarget` and fills `response`; rejects with a WireFailure, also when
   * the limit ends it.
   */
  async perform(request: Outgoing, requestTarget: string, response: ResponseReader): Promise<void> {
    const { progress } = response;
    const bytesBefore = this.#socket?.bytesRead ?? 0;
    this.#underWay = { response, held: Buffer.alloc(0), bytesBefore };
    progress.atProxy = isForwarded(this.#route);
    progress.onEnd = () => {
      response.fail(progress.reason);
      this.destroy();
    };
    try {
      this.#client.dispatch(this.#dispatchOptions(request, requestTarget), response);
      await response.done;
      // undici takes a reset for the end of a body without a length; RFC 9112 8: it is incomplete.
      if (this.wasReset && response.announcedBytes === undefined)
        throw toWireFailure(this.#socket?.errored);
    } catch (error) {
      const isUnsent = (this.#socket?.writableLength ?? 0) > 0;
      if (progress.phase === 'first-byte' && isUnsent) progress.phase = 'request';
      throw error;
    } finally {
      progress.onEnd = undefined;
      this.#underWay = undefined;
    }
  }

  get wasReset(): boolean {
    return (this.#socket?.errored as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
  }

  /** Ends the connection, and a request under way with it. */
  destroy(): void {
    void this.#client.destroy();
  }

  async #open(): Promise<Socket> {
    if (this.#underWay === undefined) throw new WireFailure({ errorCode: 'ECONNABORTED' });
    const socket = await openRoute(this.#route, this.#underWay.response.progress);
    this.#socket = socket;
    if (this.#underWay !== undefined) this.#underWay.bytesBefore = socket.bytesRead;
    socket.on('readable', () => this.#watch(socket));
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
