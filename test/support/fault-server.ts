import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A server on loopback, with what it has seen. */
export interface TestServer {
  readonly port: number;
  readonly url: URL;
  /** What each connection received so far, in the order in which they came. */
  readonly received: Buffer[];
  /** How many connections were made. */
  connections(): number;
  /** Ends the server and every connection of it. */
  close(): Promise<void>;
}

/** One connection of a fault server. */
export interface Line {
  readonly socket: Socket;
  /** Which connection of the server it is, from 0. */
  readonly index: number;
  /** Waits until a whole request is there; which one of this connection is it, from 0? */
  request(): Promise<{ readonly head: string; readonly body: Buffer }>;
  /** Writes text (Latin-1) or bytes as they are. */
  send(data: string | Uint8Array): void;
}

/** Starts a server that hands every connection, raw, to `serve`; on 127.0.0.1 by default. */
export function startFaultServer(
  serve: (line: Line) => void | Promise<void>,
  tls?: TlsOptions,
  address?: string,
): Promise<TestServer> {
  const received: Buffer[] = [];
  const onConnection = (socket: Socket) => {
    const index = received.push(Buffer.alloc(0)) - 1;
    const line = createLine(socket, index, received);
    void Promise.resolve(serve(line)).catch(() => socket.destroy());
  };
  const server =
    tls === undefined ? createServer(onConnection) : createTlsServer(tls, onConnection);
  return listen(server, tls === undefined ? 'http' : 'https', received, address);
}

/** Lets `server` listen on loopback, on a port that is free. */
export async function listen(
  server: Server,
  scheme: 'http' | 'https',
  received: Buffer[] = [],
  address = '127.0.0.1',
): Promise<TestServer> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})));
  server.on('tlsClientError', () => {});
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: new URL(`${scheme}://localhost:${port}/callback`),
    received,
    connections: () => sockets.length,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createLine(socket: Socket, index: number, received: Buffer[]): Line {
  let seen = Buffer.alloc(0);
  let taken = 0;
  let wake = () => {};
  socket.on('error', () => {});
  socket.on('close', () => wake());
  socket.on('data', (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk]);
    received[index] = seen;
    wake();
  });
  return {
    socket,
    index,
    async request() {
      for (;;) {
        const found = readRequest(seen.subarray(taken));
        if (found !== undefined) {
          taken += found.bytes;
          return found;
        }
        // TLS is never a request: a plain server doesn't react to it.
        if (socket.destroyed || seen[taken] === 0x16) throw new Error('closed, or no HTTP');
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    send: (data) => {
      socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
    },
  };
}

function readRequest(seen: Buffer) {
  const end = seen.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = seen.subarray(0, end).toString('latin1');
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const bytes = end + 4 + length;
  return seen.length < bytes ? undefined : { head, body: seen.subarray(end + 4, bytes), bytes };
}

/** Sends this to every request. */
export function always(response: string | Uint8Array): (line: Line) => Promise<void> {
  return async (line) => {
    for (;;) {
      await line.request();
      line.send(response);
    }
  };
}

/** A whole response of status 200 with a length. */
export function okResponse(body: string | Uint8Array, headers = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n${headers}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}
