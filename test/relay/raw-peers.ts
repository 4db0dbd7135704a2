import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';
import { createUpstream } from '../../src/client/upstream.ts';
import type { RunningServer } from '../../src/emulator/server.ts';
import { type ForwarderOptions, startForwarder } from '../../src/relay/forward.ts';
import type { SeenExchange } from '../../src/relay/seen-exchange.ts';

const open: { close(): unknown }[] = [];
after(() => Promise.all(open.map((each) => each.close())));

/** Bytes that a socket receives, as Latin-1, and how it ended. */
export class Received {
  text = '';
  bytes = 0;
  ended = false;
  error: string | undefined;
  readonly closed: Promise<unknown>;
  readonly socket: Socket;
  #waiting: (() => void)[] = [];

  constructor(socket: Socket, keeps = true) {
    this.socket = socket;
    const changed = () => {
      for (const wake of this.#waiting.splice(0)) wake();
    };
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (keeps) this.text += chunk.toString('latin1');
      changed();
    });
    socket.on('end', () => {
      this.ended = true;
      changed();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error.code;
      changed();
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /** Resolves once `isThere` is true for what came so far. */
  async until(isThere: (received: this) => boolean): Promise<this> {
    while (!isThere(this)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this;
  }
}

/** A server that knows no HTTP: `serve` gets each connection. */
export async function rawServer(serve: (received: Received) => unknown, keeps = true) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    serve(new Received(socket, keeps));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

/** A connection to a port of loopback. */
export function dial(port: number, keeps = true): Received {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  open.push({ close: () => socket.destroy() });
  return new Received(socket, keeps);
}

export interface RunningRelay extends RunningServer {
  readonly exchanges: readonly SeenExchange[];
  /** Resolves with the exchanges once there are that many. */
  readonly seen: (count: number) => Promise<readonly SeenExchange[]>;
}

/** A relay in front of a port of loopback. */
export async function relayTo(
  port: number,
  options: Partial<ForwarderOptions> = {},
): Promise<RunningRelay> {
  const exchanges: SeenExchange[] = [];
  const waiting: (() => void)[] = [];
  const url = new URL(`http://127.0.0.1:${port}/callback`);
  const forwarder = await startForwarder({
    host: '127.0.0.1',
    port: 0,
    upstream: createUpstream(url, { timeoutMs: 5000, now: () => performance.now() }),
    now: () => performance.now(),
    onExchange: (exchange) => {
      exchanges.push(exchange);
      for (const wake of waiting.splice(0)) wake();
    },
    ...options,
  });
  open.push(forwarder);
  const seen = async (count: number) => {
    while (exchanges.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return exchanges;
  };
  return { ...forwarder, exchanges, seen };
}
