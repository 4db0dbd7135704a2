import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeUtf8 } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { deliver } from './delivery.ts';
import { type EmulatorAnswer, type EmulatorRequest, jsonAnswer } from './http.ts';

/*
 * Asked for at run time: on Node 24 and later an import of node:http costs 23 ms at start-up,
 * because the names of the module are read and its lazy parts loaded by that; this costs 3.
 */
const { createServer } = process.getBuiltinModule('node:http');

export interface ServerOptions {
  /** The address or name to bind to; IPv6 without brackets. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly handle: (request: EmulatorRequest) => Promise<EmulatorAnswer>;
  /** How much of a body is read; a larger one is handed on cut, and marked so. */
  readonly maxBodyBytes?: number;
  /** Told of what `handle` threw, after the caller got a 500. */
  readonly onError?: (error: unknown) => void;
}

export interface RunningServer {
  /** Where it listens, without a slash at the end; IPv6 in brackets. */
  readonly url: string;
  readonly port: number;
  /** Takes no new connections, ends idle ones at once and the others within half a second. */
  close(): Promise<void>;
}

/** How long a call that is being answered may go on after `close`. */
const closeGraceMs = 500;
const defaultMaxBodyBytes = 1_048_576;
/**
 * So much of a body that is too large is still read and let go: a connection closed with bytes
 * unread is reset, and its answer lost. Beyond that the caller gets no answer.
 */
const drainedBytes = 16_777_216;

/**
 * Serves `handle` over HTTP.
 *
 * @throws AuthcliError `usage` where the address can't be bound: the port is taken or not allowed,
 *   the host is not of this machine
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port } = options;
  const server = createServer((request, response) => void answer(request, response, options));
  await listen(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: () => close(server),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(bindError(error, host, port)));
    server.listen({ host, port }, resolve);
  });
}

const bindHints: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  EADDRINUSE: ['the port is already in use', 'Choose another port, or 0 for any free one.'],
  EACCES: ['the port needs more rights', 'Choose a port above 1023, or 0 for any free one.'],
  EADDRNOTAVAIL: ['the address is not of this machine', 'Use 127.0.0.1, or ::1 for IPv6.'],
  ENOTFOUND: ['the name is unknown', 'Use 127.0.0.1, or ::1 for IPv6.'],
  EAFNOSUPPORT: ['this machine has no such kind of address', 'Use 127.0.0.1.'],
};

function bindError(error: NodeJS.ErrnoException, host: string, port: number): AuthcliError {
  const [problem, hint] = bindHints[error.code ?? ''] ?? [error.message, 'Choose another address.'];
  const message = `The emulator can't listen on ${host}, port ${port}: ${problem}.`;
  return new AuthcliError('usage', message, { hint, cause: error });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const end = setTimeout(() => server.closeAllConnections(), closeGraceMs);
    server.close(() => {
      clearTimeout(end);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  { handle, maxBodyBytes = defaultMaxBodyBytes, onError }: ServerOptions,
): Promise<void> {
  try {
    const request = await readRequest(message, maxBodyBytes);
    if (request.bodyTooLarge) response.setHeader('connection', 'close');
    await deliver(await handle(request), response);
  } catch (error) {
    // The caller went away in the middle of its own request: nobody is left to answer.
    if (!message.complete) return;
    onError?.(error);
    if (response.headersSent) response.destroy();
    else await deliver(internalAnswer, response);
  }
}

const internalAnswer = jsonAnswer(
  500,
  encodeUtf8('{"code":"9999","message":"The emulator failed; see its output."}'),
);

async function readRequest(message: IncomingMessage, limit: number): Promise<EmulatorRequest> {
  const [path = '', ...query] = (message.url ?? '').split('?');
  return {
    method: message.method ?? '',
    path,
    query: query.join('?'),
    headers: joinedHeaders(message),
    peer: message.socket.remoteAddress,
    ...(await readBody(message, limit)),
  };
}

function joinedHeaders({ headersDistinct }: IncomingMessage): Readonly<Record<string, string>> {
  const pairs = Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(', ')]);
  return Object.fromEntries(pairs);
}

async function readBody(
  message: IncomingMessage,
  limit: number,
): Promise<Pick<EmulatorRequest, 'body' | 'bodyTooLarge'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    if (size <= limit) chunks.push(chunk);
    size += chunk.length;
    if (size > limit + drainedBytes) break;
  }
  const bodyTooLarge = size > limit;
  return { body: Buffer.concat(chunks).subarray(0, limit), ...(bodyTooLarge && { bodyTooLarge }) };
}
