import { createServer, type Server, type Socket } from 'node:net';
import { listenAt, openSockets } from '../emulator/listening.ts';
import { handshakeProblem, type ServerTls, tlsOptions } from '../emulator/tls.ts';
import { type ConnectionOptions, RelayedConnection } from './connection.ts';

export interface ForwarderOptions extends ConnectionOptions {
  /** An address or name; IPv6 without brackets. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Callers speak TLS. */
  readonly tls?: ServerTls | undefined;
  /** Called with the reason why a caller and the relay did not agree on TLS. */
  readonly onTlsProblem?: ((problem: string) => void) | undefined;
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
  const server = await createListener(options, (socket) => {
    const connection = new RelayedConnection(socket, options);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  const sockets = openSockets(server);
  const port = await listenAt(server, { ...options, who: 'The relay' });
  return { port, close: () => close(server, connections, sockets) };
}

async function createListener(
  { tls, onTlsProblem }: Pick<ForwarderOptions, 'tls' | 'onTlsProblem'>,
  onSocket: (socket: Socket) => void,
): Promise<Server> {
  const sockets = { allowHalfOpen: true, noDelay: true };
  if (tls === undefined) return createServer(sockets, onSocket);
  const { createServer: createTlsServer } = await import('node:tls');
  const server = createTlsServer({ ...tlsOptions(tls), ...sockets }, onSocket);
  server.on('tlsClientError', (error) => onTlsProblem?.(handshakeProblem(error)));
  return server;
}

function close(
  server: Server,
  connections: ReadonlySet<RelayedConnection>,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = (all: boolean): void => {
      for (const connection of connections) if (all || connection.isIdle) connection.destroy();
      if (all) for (const socket of sockets) socket.destroy();
    };
    const end = setTimeout(() => cut(true), closeGraceMs);
    server.close(() => {
      clearTimeout(end);
      resolve();
    });
    cut(false);
  });
}
