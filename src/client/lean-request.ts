import type { Socket } from 'node:net';
import { encodeUtf8 } from '../bytes.ts';
import { toWireRequest } from './call.ts';
import { asSent, type OwnHeaders } from './headers.ts';
import { credentials, isForwarded, type Route } from './route.ts';

/** Everything of the request's head but the length of its body, which comes last. */
export function headOf(url: URL, route: Route, own: OwnHeaders): string {
  const { headers } = asSent(toWireRequest(url, new Uint8Array()), own);
  const proxy = isForwarded(route) ? credentials(route.proxy) : [];
  const lines = [...headers.slice(0, -1), ...proxy].map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${route.requestTarget} HTTP/1.1\r\n${lines.join('')}content-length: `;
}

/** Head and body in one write to the socket, one packet. Of ASCII Node needs no buffer for it. */
export function writeRequest(socket: Socket, head: string, body: string): void {
  const length = Buffer.byteLength(body);
  const whole = `${head}${length}\r\n\r\n`;
  if (length === body.length) socket.write(whole + body, 'latin1');
  else socket.write(Buffer.concat([Buffer.from(whole, 'latin1'), encodeUtf8(body)]));
}
