import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import type { Exchange, Headers, WireAnswer, WireRequest } from './exchange.ts';

/**
 * The exchange as it went over the wire, for people to read: the request line, headers and body,
 * then those of the answer, or why there is none. Line breaks are LF; a body that is no UTF-8
 * stands in Base64. Nothing is hidden or escaped: the caller does that.
 */
export function toWireText(exchange: Exchange): string {
  const { request, answer, partial, failure } = exchange;
  const came = answer ?? partial;
  return [
    requestText(request),
    ...(came === undefined ? [] : [answerText(came)]),
    ...(failure === undefined ? [] : [`(${failure.code}: ${failure.message})`]),
  ].join('\n\n');
}

function requestText({ method, url, headers, body }: WireRequest): string {
  return messageText(`${method} ${url.pathname}${url.search} HTTP/1.1`, headers, body);
}

/** An answer alone, as `toWireText` shows it. */
export function answerText({ httpVersion, status, statusText, headers, body }: WireAnswer): string {
  return messageText(`${httpVersion} ${status} ${statusText}`.trimEnd(), headers, body);
}

function messageText(first: string, headers: Headers, body: Uint8Array): string {
  const head = [first, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return body.length === 0 ? head : `${head}\n\n${bodyText(body)}`;
}

function bodyText(body: Uint8Array): string {
  return decodeUtf8(body) ?? `(${body.length} bytes, in Base64) ${encodeBase64(body)}`;
}
