import type { Upstream } from '../client/upstream.ts';
import type { Diagnosis } from '../errors.ts';
import type { Framing } from './http-stream.ts';

/**
 * The bytes of a request's head as the upstream server needs them: its own host in `Host`, since
 * servers and TLS choose by it, and what a proxy that forwards needs. Nothing else is changed.
 */
export function addressTo({ url, targetPrefix, proxyHeaders }: Upstream, head: Buffer): Buffer {
  const text = head
    .toString('latin1')
    .replace(/^(host:[ \t]*)[^\r\n]*?([ \t]*\r?)$/gim, (_, name, end) => name + url.host + end)
    .replace(/^([\r\n]*\S+ )(?=\/)/, (start) => start + targetPrefix);
  return Buffer.from(withHeaders(text, proxyHeaders), 'latin1');
}

function withHeaders(head: string, headers: Upstream['proxyHeaders']): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return head.replace(/\r?\n$/, (end) => lines + end);
}

/** A message that was buffered whole. */
export interface HeldMessage {
  readonly head: Buffer;
  readonly framing: Framing;
  /** The end of the transfer coding as it came: the empty line behind the trailers. */
  readonly end: Buffer;
}

/** The bytes of a buffered message with another body, in the framing that it came in. */
export function withBody({ head, framing, end }: HeldMessage, body: Uint8Array): Buffer {
  if (framing.kind === 'chunked') {
    const size = Buffer.from(`${body.length.toString(16)}\r\n`);
    const chunk = body.length === 0 ? [] : [size, body, Buffer.from('\r\n')];
    return Buffer.concat([head, ...chunk, Buffer.from('0\r\n'), end]);
  }
  return Buffer.concat([framing.kind === 'length' ? withLength(head, body.length) : head, body]);
}

function withLength(head: Buffer, length: number): Buffer {
  const text = head
    .toString('latin1')
    .replace(/^(content-length:[ \t]*)\d+/gim, (_, name) => `${name}${length}`);
  return Buffer.from(text, 'latin1');
}

/** The response for a server that can't be reached. */
export function badGateway({ code, message, hint }: Diagnosis): Buffer {
  const body = Buffer.from(
    JSON.stringify({
      code: '502',
      message: `authcli relay: ${message}`,
      error: { code, message, hint },
    }),
  );
  const head = [
    'HTTP/1.1 502 Bad Gateway',
    'Content-Type: application/json;charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}
