import { TLSSocket } from 'node:tls';
import type { ErrorCode } from '../../../src/errors.ts';
import type { Line } from '../../support/fault-server.ts';
import type { RightResponse } from './right-responses.ts';

/**
 * How a command ends that gets the response: `code` is that of its error, where it has one and the
 * answer alone decides it; `any` where chance decides between right endings.
 */
export interface Ending {
  readonly exit: 0 | 1 | 3 | 'any';
  readonly code?: ErrorCode;
}

/** One response of a peer. */
export interface HostileResponse {
  readonly name: string;
  readonly ending: Ending;
  /** Responds to one request, which was read; with `atOnce`, called as soon as there is a connection. */
  readonly serve: (line: Line, right: RightResponse) => void | Promise<void>;
  readonly atOnce?: boolean;
  /** The scheme of the URL that the command is given, and what the server speaks; plain by default. */
  readonly scheme?: 'http' | 'https';
  readonly speaks?: 'http' | 'https';
  /** Whether it ends by the time limit alone. */
  readonly endless?: boolean;
  /** Further arguments of the command. */
  readonly argv?: readonly string[];
}

/** The command goes on as if nothing was odd. */
export const accepted: Ending = { exit: 0 };

/** A response came and is wrong. */
export function wrong(code: ErrorCode): Ending {
  return { exit: 1, code };
}

/** No response came that could be read. */
export function lost(code: ErrorCode): Ending {
  return { exit: 3, code };
}

type Text = string | Uint8Array;

/** The bytes of a whole response: status 200 and JSON unless `head` says otherwise. */
export function message(body: Text, head: { status?: string; headers?: readonly string[] } = {}) {
  const bytes = Buffer.from(body);
  const { status = 'HTTP/1.1 200 OK', headers = ['content-type: application/json'] } = head;
  const lines = [status, ...headers, `content-length: ${bytes.length}`, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes]);
}

/** A response that sends the body that `make` gives, with a length. */
export function body(
  name: string,
  ending: Ending,
  make: Text | ((right: string, value: RightResponse) => Text),
  headers: readonly string[] = ['content-type: application/json'],
): HostileResponse {
  return {
    name,
    ending,
    serve: (line, right) => {
      const bytes = typeof make === 'function' ? make(JSON.stringify(right), right) : make;
      line.send(message(bytes, { headers }));
    },
  };
}

/** A response that sends text (Latin-1) as it is, and then optionally ends or cuts the connection. */
export function raw(
  name: string,
  ending: Ending,
  text: Text | ((right: string) => Text),
  then: 'keep' | 'end' | 'reset' = 'keep',
): HostileResponse {
  return {
    name,
    ending,
    serve: (line, right) => {
      line.send(typeof text === 'function' ? text(JSON.stringify(right)) : text);
      if (then === 'end') line.socket.end();
      if (then === 'reset') setTimeout(() => cut(line), 20);
    },
  };
}

/** Resets the connection; over TLS, where Node can't, it is closed without a word. */
export function cut({ socket }: Line): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Sends `chunk` again and again, as fast as the other side takes it, or every `everyMs`. */
export function repeat(line: Line, chunk: Text, everyMs?: number): void {
  const { socket } = line;
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : Buffer.from(chunk);
  if (everyMs !== undefined) {
    const timer = setInterval(() => socket.write(bytes), everyMs);
    socket.once('close', () => clearInterval(timer));
    return;
  }
  const pour = (): void => {
    while (!socket.destroyed && socket.write(bytes));
    if (!socket.destroyed) socket.once('drain', pour);
  };
  pour();
}
