import { once } from 'node:events';
import { createServer } from 'node:net';

let nextPort = 20_000 + ((process.pid * 13) % 10_000);

/** A port of 127.0.0.1 that is free, below those that systems give to connections meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort;
    nextPort += 1;
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      await new Promise((closed) => server.close(closed));
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}
