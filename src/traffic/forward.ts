import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { CollectedBytes } from '../bytes.ts';
import {
  type Headers,
  headerOf,
  type PassFailure,
  type ResponseHead,
  type Upstream,
  type UpstreamConnection,
} from '../client/exchange.ts';
import { framing } from '../client/headers.ts';
import { decodeBody } from '../client/response.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import {
  type HttpOptions,
  type RunningServer,
  respondLast,
  startHttp,
} from '../emulator/server.ts';
import { resetConnection } from '../emulator/tls.ts';
import type { Diagnosis } from '../errors.ts';
import { type CapturedExchange, type CapturedMessage, subjectOf } from './capture.ts';

/** What may change an exchange on its way; made when the head of its request has come. */
export interface Interception {
  /** Another body for the request, or undefined; the request waits until it is whole. */
  readonly request: (body: Buffer) => Promise<Uint8Array | undefined>;
  /** Asked when the head of the response has come: what finds another body for it, once it is whole. */
  readonly response: () => ((response: SeenMessage) => Promise<Uint8Array | undefined>) | undefined;
}

export interface ForwarderOptions
  extends Pick<HttpOptions, 'host' | 'port' | 'tls' | 'onTlsProblem'> {
  readonly upstream: Upstream;
  readonly now: () => number;
  readonly intercept?: (exchange: SeenExchange) => Interception | undefined;
  /** Resolves when more exchanges can be taken; nothing is read from callers before. */
  readonly ready?: () => Promise<void> | undefined;
  /** Called when nothing more of an exchange is to come. */
  readonly onExchange: (exchange: SeenExchange) => void;
}

/**
 * Listens, and passes on every request to the upstream server, over a connection for each caller's: the end of a
 * caller's ends the other, and what fails before the end of a response fails for the caller. Bodies are passed on as
 * they come; framing is that of node:http and undici, and what concerns one connection alone (RFC 9110 7.6.1) stays
 * there.
 * @throws AuthcliError `usage` where the address can't be bound
 */
export function startForwarder(options: ForwarderOptions): Promise<RunningServer> {
  const callers = new WeakMap<Socket, UpstreamConnection>();
  return startHttp({ ...options, who: 'The relay' }, (request, response) => {
    const { socket } = request;
    const upstream = callers.get(socket) ?? options.upstream.connect();
    if (!callers.has(socket)) socket.once('close', () => upstream.destroy());
    callers.set(socket, upstream);
    response.sendDate = false;
    void passOn(request, response, upstream, options);
  });
}

const nothing = new Uint8Array();

/** Passes on one exchange of a caller's connection. */
async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: UpstreamConnection,
  { upstream: { url }, now, intercept, ready, onExchange }: ForwarderOptions,
): Promise<void> {
  const { method = '', url: target = '', rawHeaders, socket } = request;
  if (method === 'TRACE') {
    const message = 'authcli relay: TRACE is not passed on: a proxy responds with its credentials.';
    return respondLast(400, { code: '400', message }, response);
  }
  const startedAt = now();
  const exchange: SeenExchange = {
    ...{ method, target, startedAt, endedAt: startedAt, privateKeys: [], heldMs: 0 },
    request: new SeenMessage(inPairs(rawHeaders)),
  };
  const interception = intercept?.(exchange);
  /** What finds another body for the response, while it is held back. */
  let change: ReturnType<Interception['response']>;

  /** The body as it comes; whole, and perhaps another, where it is intercepted. */
  async function bodyOf(seen: SeenMessage): Promise<Uint8Array | Readable> {
    if (!('content-length' in request.headers || 'transfer-encoding' in request.headers)) {
      seen.isComplete = true;
      return nothing;
    }
    const chunks = watched(request, seen);
    if (interception === undefined) return Readable.from(chunks, { objectMode: false });
    const held: Buffer[] = [];
    while (seen.size <= maxKeptBytes) {
      const { value, done } = await chunks.next();
      if (done) {
        const cameAt = now();
        seen.changed = await interception.request(seen.body);
        exchange.heldMs = now() - cameAt;
        return seen.changed ?? seen.body;
      }
      held.push(value);
    }
    return Readable.from(chain(held, chunks), { objectMode: false });
  }

  function onHead(head: ResponseHead): void {
    exchange.head = head;
    exchange.response = new SeenMessage(head.headers);
    change = interception?.response();
    if (change === undefined) writeHead(head.headers);
  }

  function onData(chunk: Uint8Array): Promise<void> | undefined {
    const seen = exchange.response;
    seen?.add(chunk);
    if (change === undefined) return write(chunk);
    if (seen === undefined || seen.size <= maxKeptBytes) return undefined;
    // too long to be one of the messages that are changed
    change = undefined;
    writeHead(seen.headers);
    const last = seen.size - maxKeptBytes;
    return write(Buffer.concat([seen.body, chunk.subarray(chunk.length - last)]));
  }

  function write(chunk: Uint8Array): Promise<void> | undefined {
    if (response.write(chunk) || response.destroyed) return undefined;
    return new Promise((resolve) => {
      const go = () => {
        response.off('drain', go).off('close', go);
        resolve();
      };
      response.on('drain', go).on('close', go);
    });
  }

  /** Sends the head at once: the body may come much later. */
  function writeHead(headers: Headers): void {
    const { status = 502, statusText = '' } = exchange.head ?? {};
    // undici reads the reason as UTF-8
    const reason = Buffer.from(statusText).toString('latin1');
    response.writeHead(status, reason, headers.filter(isPassedOn(headers)).flat());
    // flushHeaders() would write the head in UTF-8; of a corked response, Node 24 takes the empty chunk for the last.
    response.write(nothing);
  }

  async function complete(): Promise<void> {
    const seen = exchange.response;
    if (seen === undefined) return;
    seen.isComplete = true;
    if (change === undefined) return void response.end();
    seen.changed = await change(seen);
    const body = seen.changed ?? seen.body;
    const length = (name: string) => seen.changed !== undefined && /^content-length$/i.test(name);
    writeHead(
      seen.headers.map(([name, value]) => [name, length(name) ? String(body.length) : value]),
    );
    response.end(body);
  }

  async function fail({ diagnose, isReset, isUnreachable }: PassFailure): Promise<void> {
    if (response.destroyed) {
      exchange.failure = callerGone(exchange);
      return;
    }
    if (isUnreachable && !response.headersSent) {
      exchange.failure = await diagnose();
      exchange.ownStatus = 502;
      const { code, message, hint } = exchange.failure;
      const error = { code, message, hint };
      respondLast(502, { code: '502', message: `authcli relay: ${message}`, error }, response);
      return;
    }
    const held = exchange.response;
    if (change !== undefined && held !== undefined) {
      writeHead(held.headers);
      response.write(held.body);
    }
    if (isReset) resetConnection(socket);
    else socket.destroySoon();
    exchange.failure = await diagnose();
  }

  await ready?.();
  try {
    const body = await bodyOf(exchange.request);
    const headers: Headers = [['host', url.host], ...passedOn(exchange.request.headers, body)];
    const failure = await upstream.pass({ method, target, headers, body }, { onHead, onData });
    exchange.endedAt = now();
    await (failure === undefined ? complete() : fail(failure));
  } catch (error) {
    if (!socket.destroyed) throw error;
    // the caller has gone in the middle of its request
    exchange.endedAt = now();
    exchange.failure = callerGone(exchange);
  }
  onExchange(exchange);
}

/** The chunks of a request, noted as they pass. */
async function* watched(request: IncomingMessage, seen: SeenMessage): AsyncGenerator<Buffer> {
  for await (const chunk of request as AsyncIterable<Buffer>) {
    seen.add(chunk);
    yield chunk;
  }
  seen.isComplete = true;
}

async function* chain(first: readonly Buffer[], rest: AsyncGenerator<Buffer>) {
  yield* first;
  yield* rest;
}

/**
 * The headers of a request for the next connection, without Host and the credentials for a proxy, which are ours;
 * undici states the length of a whole body itself.
 */
function passedOn(headers: Headers, body: Uint8Array | Readable): Headers {
  const own = ['host', 'proxy-authorization'];
  if (body instanceof Uint8Array) own.push('content-length');
  return headers.filter(isPassedOn(headers)).filter(([name]) => !own.includes(name.toLowerCase()));
}

/** Whether a header is for the other side, rather than for the connection that it came over (RFC 9110 7.6.1). */
function isPassedOn(headers: Headers): (header: Headers[number]) => boolean {
  const named = headers
    .filter(([name]) => /^connection$/i.test(name))
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim());
  return ([name]) =>
    /^content-length$/i.test(name) ||
    !(framing.test(name) || /^(?:te|trailer)$/i.test(name) || named.includes(name.toLowerCase()));
}

function inPairs(rawHeaders: readonly string[]): Headers {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[2 * index + 1] ?? '']);
}

function callerGone({ startedAt, endedAt }: SeenExchange) {
  return diagnosis(
    'reset',
    `The caller closed the connection after ${Math.round(endedAt - startedAt)} ms, before the whole response had come.`,
    'Check the time limit of the caller, and what the response was waiting for.',
  );
}

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
export interface SeenExchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly startedAt: number;
  endedAt: number;
  readonly request: SeenMessage;
  response?: SeenMessage;
  /** Of the response. */
  head?: ResponseHead;
  /** Why the response is missing or incomplete. */
  failure?: Diagnosis;
  /** The status of the response that the relay itself gave, where the other side could not be reached. */
  ownStatus?: number;
  /** Private halves of the public keys that the relay may have sent, the likeliest first. */
  privateKeys: readonly RsaPrivateKey[];
  /** How long the relay itself delayed the request, to change it. */
  heldMs: number;
}

/**
 * The exchange as one side saw it: the caller, or the side that was called.
 * @param source where it was seen, such as `exchange 3`
 */
export async function capturedExchange(
  seen: SeenExchange,
  source: string,
  side: 'caller' | 'called',
): Promise<CapturedExchange> {
  const { method, target, startedAt, endedAt, heldMs, failure } = seen;
  const request = await seen.request.captured(side === 'caller' ? 'came' : 'went');
  const response = await seen.response?.captured(side === 'caller' ? 'went' : 'came');
  const { status, statusText } = seen.head ?? {};
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
