import { createServer, type Server } from 'node:net';
import { listenAt } from '../emulator/server.ts';
import { type ConnectionOptions, RelayedConnection } from './connection.ts';

export interface ForwarderOptions extends ConnectionOptions {
  /** An address or name; IPv6 without brackets. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

export interface Forwarder {
  readonly port: number;
  /** Ends idle connections at once, and the others within half a second. */
  close(): Promise<void>;
}

const closeGraceMs = 500;

/**
 * Listens, and forwards every connection to the upstream server.
 * @throws AuthcliError `usage` where the address can't be bound
 */
export async function startForwarder(options: ForwarderOptions): Promise<Forwarder> {
  const connections = new Set<RelayedConnection>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const connection = new RelayedConnection(socket, options);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  const port = await listenAt(server, { ...options, who: 'The relay' });
  return { port, close: () => close(server, connections) };
}

function close(server: Server, connections: ReadonlySet<RelayedConnection>): Promise<void> {
  return new Promise((resolve) => {
    const cut = (all: boolean): void => {
      for (const connection of connections) if (all || connection.isIdle) connection.destroy();
    };
    const end = setTimeout(() => cut(true), closeGraceMs);
    server.close(() => {
      clearTimeout(end);
      resolve();
    });
    cut(false);
  });
}
