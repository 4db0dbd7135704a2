import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import type { Exchange, Headers, Timings, WireAnswer, WireRequest } from './exchange.ts';
import { headerOf } from './exchange.ts';

/** A HAR 1.2 document, as far as it is written here. */
export interface Har {
  readonly log: {
    readonly version: '1.2';
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
  };
}

/** One exchange; a failed one has the status 0, as browsers write it, and says why in `comment`. */
export interface HarEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: Readonly<Record<string, number>>;
  readonly comment?: string;
}

/**
 * Exchanges as an HTTP archive (HAR 1.2). Values stand verbatim in it: hiding secrets is the
 * caller's. A body that is no UTF-8 stands in Base64, in the answer as `encoding` says, in the
 * request, for which HAR has no field, as `_encoding` says.
 */
export function toHar(exchanges: readonly Exchange[], creator: { readonly version: string }): Har {
  return {
    log: {
      version: '1.2',
      creator: { name: 'authcli', version: creator.version },
      entries: exchanges.map(toEntry),
    },
  };
}

function toEntry(exchange: Exchange): HarEntry {
  const { failure } = exchange;
  return {
    startedDateTime: new Date(exchange.startedAt).toISOString(),
    time: round(exchange.durationMs),
    request: toHarRequest(exchange.request),
    response: toHarResponse(exchange.answer ?? exchange.partial, exchange.answer !== undefined),
    cache: {},
    timings: toHarTimings(exchange.timings, exchange.durationMs),
    ...(failure && { comment: `${failure.code}: ${failure.message}` }),
  };
}

function toHarRequest({ method, url, headers, body }: WireRequest) {
  const text = decodeUtf8(body);
  const mimeType = headerOf(headers, 'content-type') ?? '';
  const content = text === undefined ? { text: encodeBase64(body), _encoding: 'base64' } : { text };
  return {
    method,
    url: url.href,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    queryString: pairs([...url.searchParams]),
    ...(body.length > 0 && { postData: { mimeType, params: [], ...content } }),
    headersSize: -1,
    bodySize: body.length,
  };
}

function toHarResponse(answer: WireAnswer | undefined, complete: boolean) {
  const headers = answer?.headers ?? [];
  return {
    status: answer?.status ?? 0,
    statusText: answer?.statusText ?? '',
    httpVersion: answer?.httpVersion ?? '',
    cookies: [],
    headers: pairs(headers),
    content: toHarContent(answer?.body ?? new Uint8Array(), headers),
    redirectURL: headerOf(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: complete ? (answer?.encodedBodyBytes ?? -1) : -1,
  };
}

function toHarContent(body: Uint8Array, headers: Headers) {
  const mimeType = headerOf(headers, 'content-type') ?? '';
  const text = decodeUtf8(body);
  return text === undefined
    ? { size: body.length, mimeType, text: encodeBase64(body), encoding: 'base64' }
    : { size: body.length, mimeType, text };
}

/** HAR's `connect` includes `ssl`; what did not happen is -1, but send, wait and receive always stand. */
function toHarTimings(timings: Timings, durationMs: number): Readonly<Record<string, number>> {
  const { lookupMs = -1, connectMs, proxyMs = 0, tlsMs, firstByteMs = 0, bodyMs = 0 } = timings;
  const connect = connectMs === undefined ? -1 : connectMs + proxyMs + (tlsMs ?? 0);
  const known = Math.max(lookupMs, 0) + Math.max(connect, 0) + firstByteMs + bodyMs;
  return {
    blocked: round(Math.max(durationMs - known, 0)),
    dns: round(lookupMs),
    connect: round(connect),
    ssl: round(tlsMs ?? -1),
    send: 0,
    wait: round(firstByteMs),
    receive: round(bodyMs),
  };
}

function pairs(headers: Headers) {
  return headers.map(([name, value]) => ({ name, value }));
}

/** To the microsecond. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
