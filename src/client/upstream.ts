import type { Dispatcher } from 'undici';
import { Connection } from './connection.ts';
import type {
  PassedRequest,
  PassFailure,
  Receiver,
  Upstream,
  UpstreamConnection,
} from './exchange.ts';
import { diagnoseFailure } from './failure.ts';
import { Progress, toWireFailure } from './progress.ts';
import { ResponseReader } from './response.ts';
import { createRoutes, isForwarded, type Route } from './route.ts';
import { SpokenProtocols } from './spoken-protocol.ts';
import { TimeLimit } from './time-limit.ts';
import type { TransportOptions } from './transport-options.ts';

/**
 * Makes the way to a server, with the options of a transport: those that concern connections. The time limit
 * ends with the request sent.
 * @throws AuthcliError `usage` for certificates or proxies that can't be used
 */
export function createUpstream(url: URL, options: TransportOptions): Upstream {
  const route = createRoutes(options)(url);
  const protocols = new SpokenProtocols();
  return {
    url,
    connect: (onIdleClose) => new Forwarding(route, protocols, options, onIdleClose),
  };
}

/** A connection for the requests of one caller, one after another. */
class Forwarding implements UpstreamConnection {
  readonly #connection: Connection;
  readonly #route: Route;
  readonly #protocols: SpokenProtocols;
  readonly #options: TransportOptions;

  constructor(
    route: Route,
    protocols: SpokenProtocols,
    options: TransportOptions,
    onIdleClose: () => void,
  ) {
    this.#connection = new Connection(route, onIdleClose);
    this.#route = route;
    this.#protocols = protocols;
    this.#options = options;
  }

  async pass(request: PassedRequest, receiver: Receiver): Promise<PassFailure | undefined> {
    const [route, protocols] = [this.#route, this.#protocols];
    const { now, timeoutMs, signal } = this.#options;
    const progress = new Progress(now);
    const limit = new TimeLimit(timeoutMs, signal);
    const response = new PassedResponse(progress, receiver, limit);
    const prefix = isForwarded(route) ? route.target.origin : '';
    try {
      const target = prefix + request.target;
      await this.#connection.perform(request, target, response, progress, limit);
      protocols.markResponded(route);
      if (response.stopped) this.destroy();
      return undefined;
    } catch (error) {
      const { facts } = toWireFailure(error);
      const attempt = { route, progress, now, response, limit, timeoutMs, protocols };
      return {
        diagnose: () => diagnoseFailure(error, attempt),
        isReset: this.#connection.wasReset,
        isUnreachable: !response.isSent || facts.unreadable !== undefined,
      };
    } finally {
      limit.release();
    }
  }

  destroy(): void {
    this.#connection.destroy();
  }
}

class PassedResponse extends ResponseReader {
  /** There was a connection for the request. */
  isSent = false;
  readonly #receiver: Receiver;
  readonly #limit: TimeLimit;

  constructor(progress: Progress, receiver: Receiver, limit: TimeLimit) {
    super(progress);
    this.#receiver = receiver;
    this.#limit = limit;
  }

  override onRequestStart(): void {
    super.onRequestStart();
    this.isSent = true;
    this.#limit.release();
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
