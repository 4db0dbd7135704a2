import { headerOf, type WireRequest } from '../client/exchange.ts';
import { isFraming } from '../client/headers.ts';
import type { Transport } from '../client/transport.ts';
import type { CapturedExchange } from './capture.ts';
import type { RelayedExchange } from './relay.ts';

type Origins = Readonly<Record<RelayedExchange['direction'], string | undefined>>;

/** Sends requests that passed a relay through it again, and recognizes them when they pass. */
export class Resender {
  readonly #transport: Transport;
  readonly #origins: Origins;
  readonly #pending: WireRequest[] = [];

  /** @param origins where the relay listens, by direction, such as `http://127.0.0.1:8090` */
  constructor(transport: Transport, origins: Origins) {
    this.#transport = transport;
    this.#origins = origins;
  }

  /** Whether the request was stored exactly as it came; one with a content coding was not. */
  canSend(relayed: RelayedExchange): boolean {
    return this.#requestOf(relayed) !== undefined;
  }

  /**
   * Sends the request with its own headers but Host and those of framing; resolves when it has its
   * response or failed, which the relay judges. Nothing is sent for what {@link canSend} rules out.
   */
  async send(relayed: RelayedExchange): Promise<void> {
    const request = this.#requestOf(relayed);
    if (request === undefined) return;
    this.#pending.push(request);
    await this.#transport.send(request);
  }

  /** Whether an exchange that passed is one that was sent here; each counts once. */
  claims(exchange: CapturedExchange): boolean {
    const index = this.#pending.findIndex((sent) => isOf(sent, exchange));
    if (index !== -1) this.#pending.splice(index, 1);
    return index !== -1;
  }

  #requestOf({ exchange, direction }: RelayedExchange): WireRequest | undefined {
    const { method, target, headers = [], body, isCut } = exchange.request ?? {};
    const origin = this.#origins[direction];
    if (method !== 'POST' || body === undefined || isCut || origin === undefined) return undefined;
    if (headerOf(headers, 'content-encoding') !== undefined) return undefined;
    const url = new URL(origin);
    [url.pathname = '', url.search = ''] = (target ?? '').split(/(?=\?)/);
    if (targetOf(url) !== target) return undefined;
    const kept = headers.filter(
      ([name]) => !isFraming(name) && !/^(?:host|te|trailer)$/i.test(name),
    );
    return { method, url, headers: kept, body };
  }
}

function targetOf({ pathname, search }: URL): string {
  return `${pathname}${search}`;
}

function isOf({ method, url, body }: WireRequest, { request }: CapturedExchange): boolean {
  return (
    request?.method === method &&
    request.target === targetOf(url) &&
    Buffer.compare(request.body, body) === 0
  );
}
