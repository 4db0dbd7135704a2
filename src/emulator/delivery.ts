import type { ServerResponse } from 'node:http';
import type { EmulatorAnswer, OpenStream } from './http.ts';

/** Sends `answer` the way its delivery says; resolves once everything is handed to the system or the connection is gone. */
export async function deliver(answer: EmulatorAnswer, response: ServerResponse): Promise<void> {
  const { delayMs = 0, breakOff } = answer.delivery ?? {};
  if (delayMs > 0) await pause(delayMs, response);
  if (response.destroyed) return;
  if (answer.stream !== undefined) return sendStream(answer, answer.stream, response);
  if (breakOff === undefined) return send(answer, response);
  if (breakOff === 'reset') response.socket?.resetAndDestroy();
  if (breakOff === 'close') response.socket?.end();
  if (breakOff === 'truncate') sendHalf(answer, response);
}

function send({ status, headers, body }: EmulatorAnswer, response: ServerResponse): Promise<void> {
  const chunked = Object.keys(headers).some((name) => name.toLowerCase() === 'transfer-encoding');
  response.writeHead(status, chunked ? headers : { ...headers, 'content-length': body.length });
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.end(body);
  });
}

/** A reader that stands still may let so much wait, in bytes. */
const mostWaiting = 4_194_304;

function sendStream(
  { status, headers }: EmulatorAnswer,
  open: OpenStream,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  const stop = open({
    write: (text) => {
      response.write(text);
      return response.writableLength < mostWaiting;
    },
    end: () => response.end(),
  });
  return new Promise((resolve) => {
    response.once('close', () => {
      stop();
      resolve();
    });
  });
}

function sendHalf({ status, headers, body }: EmulatorAnswer, response: ServerResponse): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  // Closed, not reset: a reset would also take back what the peer has not read yet.
  response.write(body.subarray(0, body.length >> 1), () => response.destroy());
}

/** Ends early when the connection does, so that closing the server never waits for a slow answer. */
function pause(milliseconds: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
