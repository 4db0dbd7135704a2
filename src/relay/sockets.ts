import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { resetConnection } from '../emulator/tls.ts';

/** How long bytes that are under way may take to reach a side before its connection is reset after the other's. */
const lastBytesMs = 1000;

interface Listener {
  readonly data: (chunk: Buffer) => Promise<void>;
  readonly end: () => Promise<void>;
  /** The socket is closed; with the error that closed it. */
  readonly gone: (error: Error | undefined) => Promise<void>;
}

/** Handles what comes from a socket one after another; it isn't read while something is handled. */
export function listen(socket: Socket, { data, end, gone }: Listener): void {
  let last: Promise<void> = Promise.resolve();
  let failure: Error | undefined;
  const queue = (work: () => Promise<void>): void => {
    last = last.then(work).catch((error: unknown) => {
      socket.destroy(error instanceof Error ? error : undefined);
    });
  };
  socket.on('data', (chunk: Buffer) => {
    socket.pause();
    queue(() => data(chunk));
    queue(async () => void socket.resume());
  });
  socket.on('end', () => queue(end));
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('close', () => {
    const patience = pause(lastBytesMs, undefined, { ref: false });
    void Promise.race([last, patience]).then(() => gone(failure));
  });
}

/** Resets a connection as its other side was, once what came before has been handed to the system. */
export async function resetAfterLastBytes(socket: Socket): Promise<void> {
  if (socket.writableLength > 0) {
    const patience = pause(lastBytesMs, undefined, { ref: false });
    await Promise.race([once(socket, 'drain').catch(() => {}), patience]);
  }
  resetConnection(socket);
}
