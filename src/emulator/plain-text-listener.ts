import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { listenAt, openSockets } from './server.ts';

/** A listener for connections that should be TLS. */
export interface TlsListener {
  readonly port: number;
  /** What came that was not TLS, one text for each connection. */
  plainText(): readonly string[];
  close(): Promise<void>;
}

/** The first byte of a TLS handshake (RFC 8446 section 5.1). */
const handshake = 0x16;
const mostBytes = 65_536;
/** How long the rest of a request in plain text is waited for. */
const restMs = 200;

/** Accepts connections at a free port, reads what comes in plain text, and completes no handshake. */
export async function listenForTls(host: string): Promise<TlsListener> {
  const seen = new Map<Socket, Buffer>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      const before = seen.get(socket);
      if (before === undefined && chunk[0] === handshake) {
        socket.destroy();
        return;
      }
      if (before === undefined) setTimeout(() => socket.destroy(), restMs);
      const room = mostBytes - (before?.length ?? 0);
      seen.set(socket, Buffer.concat([before ?? Buffer.alloc(0), chunk.subarray(0, room)]));
    });
  });
  const open = openSockets(server);
  return {
    port: await listenAt(server, { host, port: 0, who: 'The emulated service' }),
    plainText: () => [...seen.values()].map(String),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
