import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { AuthcliError } from '../errors.ts';

/** A port that is taken without listening on it. */
interface HeldPort {
  readonly port: number;
  readonly release?: () => void;
}

/**
 * Takes a port, any with 0, without listening on it: a connection of our own begins there. The system would soon
 * give a free one to another server, which then receives what should be refused.
 */
export async function holdPort(host: string, port: number): Promise<HeldPort> {
  const anchor = createServer();
  await new Promise<void>((resolve) => anchor.listen({ host, port: 0 }, resolve));
  const { address, port: target } = anchor.address() as AddressInfo;
  const socket = connect({ host, port: target, localAddress: address, localPort: port });
  // where the system doesn't allow it the port is free, as before
  await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
  const release = () => {
    socket.destroy();
    anchor.close();
  };
  return { port: socket.localPort ?? port, release };
}

/** Linux lets a server listen on a held port; elsewhere it listens on a free one, which `refuse` takes after it. */
export async function listenOnHeldPort(server: Server, place: Place): Promise<HeldPort> {
  const { port, release } = await holdPort(place.host, 0);
  try {
    return { port: await listenAt(server, { ...place, port }), release };
  } catch {
    release?.();
    return { port: await listenAt(server, place) };
  }
}

/** Where a server listens. */
export interface Place {
  /** An address or name; IPv6 without brackets. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Who listens there, as an error names it. */
  readonly who: string;
}

/**
 * Makes `server` listen, and returns its port.
 *
 * @throws AuthcliError `usage` where the address can't be bound
 */
export function listenAt(server: Server, place: Place): Promise<number> {
  const { host, port } = place;
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(bindError(error, place));
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.removeListener('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

const bindHints: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  EADDRINUSE: ['the port is already in use', 'Choose another port, or 0 for any free one.'],
  EACCES: ['the port requires privileges', 'Choose a port above 1023, or 0 for any free one.'],
  EADDRNOTAVAIL: ['the address does not belong to this machine', 'Use 127.0.0.1, or ::1 for IPv6.'],
  ENOTFOUND: ['the name is unknown', 'Use 127.0.0.1, or ::1 for IPv6.'],
  EAFNOSUPPORT: ['this machine does not support this kind of address', 'Use 127.0.0.1.'],
};

function bindError(error: NodeJS.ErrnoException, { host, port, who }: Place): AuthcliError {
  const [problem, hint] = bindHints[error.code ?? ''] ?? [error.message, 'Choose another address.'];
  const message = `${who} can't listen on ${host}, port ${port}: ${problem}.`;
  return new AuthcliError('usage', message, { hint, cause: error });
}

/** The sockets of a server, those on which TLS is not agreed yet included. */
export function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
