import { promisify } from 'node:util';
import type { Dispatcher } from 'undici';
import { CollectedBytes } from '../bytes.ts';
import { type ConnectionFacts, saysTlsIsWanted } from '../diagnosis/connection.ts';
import {
  bodyTooLarge,
  brokenEncoding,
  maxCodings,
  tooManyEncodings,
  unknownEncoding,
} from '../diagnosis/response.ts';
import type { Diagnosis } from '../errors.ts';
import {
  type Exchange,
  type Headers,
  headerOf,
  type ResponseHead,
  type WireResponse,
} from './exchange.ts';
import { type Progress, toWireFailure, type WireFailure } from './progress.ts';
import { isForwarded, type Route } from './route.ts';

/**
 * Reads one response from undici. It exists before the response and outlives its failure, so that what
 * had arrived can be reported.
 */
export abstract class ResponseReader implements Dispatcher.DispatchHandler {
  bodyBytes = 0;
  /** Reading was stopped before the end of what the peer sends: the connection can't be used again. */
  stopped = false;
  head: ResponseHead | undefined;
  readonly done: Promise<void>;
  readonly progress: Progress;
  #resolve: () => void = () => {};
  #reject: (failure: WireFailure) => void = () => {};

  constructor(progress: Progress) {
    this.progress = progress;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  abstract onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void;

  /** The number in Content-Length, where it is one. */
  get announcedBytes(): number | undefined {
    const value = headerOf(this.head?.headers ?? [], 'content-length');
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
  }

  fail(reason: unknown): void {
    this.#reject(toWireFailure(reason));
  }

  onRequestStart(): void {
    this.progress.step('first-byte');
  }

  /** The first byte of the status line; the headers may come much later. */
  onResponseStarted(): void {
    if (this.progress.responded) return; // an informational response came before
    this.progress.responded = true;
    this.progress.end('firstByteMs');
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText = '',
  ): void {
    if (status < 200) return; // RFC 9110 15.2: informational, the final response is still to come
    this.progress.phase = 'body';
    this.head = { status, statusText, headers: readHeaders(controller.rawHeaders) };
    // RFC 9112 6.3: these have no body, whatever length they state; undici waits for one.
    if ((status === 204 || status === 304) && (this.announcedBytes ?? 0) > 0) this.stop(controller);
  }

  onResponseEnd(): void {
    this.#resolve();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error);
  }

  protected stop(controller: Dispatcher.DispatchController): void {
    this.stopped = true;
    this.#resolve();
    controller.abort(new Error('The rest of the response is not read.'));
  }
}

/** The most bytes of a body, before and after decompression. */
const maxBodyBytes = 1024 * 1024;

/** Collects one response. */
export class IncomingResponse extends ResponseReader {
  /** The body exceeded the limit; reading was stopped. */
  tooLarge = false;
  readonly #body = new CollectedBytes(maxBodyBytes);

  /** What has arrived, its body still encoded; undefined before the end of the headers. */
  get received(): WireResponse | undefined {
    if (this.head === undefined) return undefined;
    return {
      httpVersion: 'HTTP/1.1',
      body: this.#body.bytes,
      encodedBodyBytes: this.bodyBytes,
      ...this.head,
    };
  }

  override onResponseStart(...args: Parameters<ResponseReader['onResponseStart']>): void {
    super.onResponseStart(...args);
    if ((this.announcedBytes ?? 0) > maxBodyBytes && !this.stopped) this.#refuse(args[0]);
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body.add(chunk);
    const came = this.bodyBytes + chunk.length;
    this.bodyBytes = Math.min(came, maxBodyBytes);
    if (came > maxBodyBytes) this.#refuse(controller);
  }

  #refuse(controller: Dispatcher.DispatchController): void {
    this.tooLarge = true;
    this.stop(controller);
  }
}

/** undici gives names and values alternately; a byte of a header is a character of Latin-1. */
function readHeaders(raw: Dispatcher.DispatchController['rawHeaders']): Headers {
  if (!Array.isArray(raw)) return [];
  const headers: [string, string][] = [];
  for (let index = 0; index < raw.length; index += 2) {
    headers.push([toText(raw[index]), toText(raw[index + 1])]);
  }
  return headers;
}

function toText(part: Buffer | string = ''): string {
  return typeof part === 'string' ? part : part.toString('latin1');
}

/** What became of a request: the response, or why there is none. */
export type Outcome = Pick<Exchange, 'response' | 'failure' | 'partial'>;

/**
 * Judges a complete response: too large, that of a proxy or of a TLS server that received plain
 * HTTP, one in an unsupported coding, or the response with its body decoded.
 */
export async function readOutcome(response: IncomingResponse, route: Route): Promise<Outcome> {
  const { received: partial, progress } = response;
  if (partial === undefined) throw new TypeError('a complete response without a status line');
  if (response.tooLarge) {
    const { announcedBytes: announced } = response;
    return { failure: bodyTooLarge(maxBodyBytes, { announced }), partial };
  }
  if (isForwarded(route) && partial.status === 407) {
    return { failure: await diagnose({ proxyStatus: 407 }, route, progress), partial };
  }
  if (route.target.protocol === 'http:' && saysTlsIsWanted(partial)) {
    return { failure: await diagnose({ speaks: 'tls' }, route, progress), partial };
  }
  const encoding = headerOf(partial.headers, 'content-encoding');
  if (encoding === undefined) return { response: partial };
  const decoded = await decodeBody(partial.body, encoding, maxBodyBytes);
  if (!(decoded instanceof Uint8Array)) return { failure: decoded, partial };
  return { response: { ...partial, body: decoded } };
}

/** The diagnosis of what was observed; what explains a failure is loaded only for one. */
export async function diagnose(
  facts: Partial<ConnectionFacts>,
  { target, proxy }: Pick<Route, 'target' | 'proxy'>,
  { phase, atProxy, now }: Progress,
): Promise<Diagnosis> {
  const { diagnoseConnection } = await import('../diagnosis/connection.ts');
  return diagnoseConnection({ ...facts, phase, atProxy, target, proxy, now: now() });
}

/**
 * Undoes the content codings of a body, the last applied first; or returns why that is impossible. No
 * step yields more than `limit` bytes: a larger body is refused while it inflates, so a bomb costs no
 * more than the limit; and at most `maxCodings` are undone.
 */
export async function decodeBody(
  encoded: Uint8Array,
  contentEncoding: string | undefined,
  limit: number,
): Promise<Uint8Array | Diagnosis> {
  const names = (contentEncoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > maxCodings) return tooManyEncodings(names.length);
  let body = encoded;
  for (const name of names.reverse()) {
    const decode = await decoderOf(name, body);
    if (decode === undefined) return unknownEncoding(name);
    if (body.length === 0) continue; // harmless, although not a stream of any coding
    try {
      body = await decode(body, { maxOutputLength: limit });
    } catch (error) {
      const tooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
      return tooLarge ? bodyTooLarge(limit, { inflated: name }) : brokenEncoding(name);
    }
  }
  return body;
}

/** The decoder of a content coding (RFC 9110 8.4.1); `deflate` is often sent without its zlib wrapping. */
async function decoderOf(name: string, body: Uint8Array) {
  const { brotliDecompress, gunzip, inflate, inflateRaw } = await import('node:zlib');
  if (name === 'gzip' || name === 'x-gzip') return promisify(gunzip);
  if (name === 'deflate') return promisify(isZlib(body) ? inflate : inflateRaw);
  return name === 'br' ? promisify(brotliDecompress) : undefined;
}

/** Whether the bytes begin as zlib does (RFC 1950 2.2): method 8, and a multiple of 31. */
function isZlib([cmf = 0, flg = 0]: Uint8Array): boolean {
  return (cmf & 0x0f) === 8 && (cmf * 256 + flg) % 31 === 0;
}
