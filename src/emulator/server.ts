import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CollectedBytes, encodeUtf8 } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import {
  type EmulatorRequest,
  type EmulatorResponse,
  jsonResponse,
  type OpenStream,
} from './http.ts';
import { handshakeProblem, resetConnection, type ServerTls, tlsOptions } from './tls.ts';

export interface HttpOptions extends Omit<Place, 'who'> {
  /** Who listens, as an error names it; the emulator by default. */
  readonly who?: string;
  readonly tls?: ServerTls | undefined;
  /** Called with the reason why a client and the server did not agree on TLS. */
  readonly onTlsProblem?: ((problem: string) => void) | undefined;
  /** Takes any free port such that `refuse` never lets another server have it, not even for a moment. */
  readonly holdsPort?: boolean;
}

export interface ServerOptions extends HttpOptions {
  readonly handle: (request: EmulatorRequest) => Promise<EmulatorResponse>;
  readonly onError?: (error: unknown) => void;
}

export interface RunningServer {
  /** Without a slash at the end; IPv6 in brackets. */
  readonly url: string;
  readonly port: number;
  cut(): void;
  /** Closes it, and keeps the port until `close`: connections are refused, and no other server gets it. */
  refuse(): Promise<void>;
  /** Ends idle connections at once, and the others within half a second. */
  close(): Promise<void>;
}

const closeGraceMs = 500;
/** A larger body is cut, and marked as too large. */
const maxBodyBytes = 1_048_576;
/**
 * Read and dropped of a body that is too large: a connection closed with bytes unread is reset, and
 * its response lost.
 */
const drainedBytes = 16_777_216;

/**
 * Serves `handle` over HTTP.
 *
 * @throws AuthcliError `usage` where the address can't be bound
 */
export function startServer(options: ServerOptions): Promise<RunningServer> {
  return startHttp(options, (request, response) => void respond(request, response, options));
}

/**
 * Listens for HTTP. Only requests for a path are handed on, with one Host at most: what is for a proxy gets 400, as
 * does what isn't HTTP/1. Those of a connection are handed on one after another.
 *
 * @throws AuthcliError `usage` where the address can't be bound
 */
export async function startHttp(
  options: HttpOptions,
  onRequest: RequestListener,
): Promise<RunningServer> {
  const { host, port, tls, who = 'The emulator' } = options;
  const server: Server =
    tls === undefined ? createServer() : (await import('node:https')).createServer(tlsOptions(tls));
  server.on('tlsClientError', (error) => options.onTlsProblem?.(handshakeProblem(error)));
  // A client that sends in the moment in which an idle connection is closed gets an error: clients close theirs.
  server.keepAliveTimeout = 0;
  server.on('request', inTurn(onRequest));
  server.on('connect', (_, socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    accepted += 1;
    connections.set(socket, accepted);
  });
  const sockets = openSockets(server);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const { port: bound, release: held } = options.holdsPort
    ? await listenOnHeldPort(server, { host, port, who })
    : { port: await listenAt(server, { host, port, who }), release: undefined };
  let occupied: Promise<(() => void) | undefined> | undefined;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    cut,
    refuse: async () => {
      occupied ??= close(server, cut).then(
        async () => held ?? (await holdPort(host, bound)).release,
      );
      await occupied;
    },
    close: async () => {
      const release = (await occupied) ?? held;
      release?.();
      await close(server, cut);
    },
  };
}

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Begins a request of a connection when the one before has ended, and reads no further ones meanwhile. */
function inTurn(onRequest: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    const begin = () =>
      isForPath(request) ? onRequest(request, response) : refuseTarget(request, response);
    response.once('close', () => {
      queue.shift();
      if (!socket.writable) return; // that was its last response
      if (queue.length < 2) socket.resume();
      queue[0]?.();
    });
    if (queue.push(begin) === 1) return begin();
    // at the end of a request, Node itself reads on
    queueMicrotask(() => queue.length > 1 && socket.pause());
  };
}

/** Whether it is in the form for a server itself (RFC 9112 3.2.1), not for a proxy, and its end is beyond doubt. */
function isForPath({ url = '', httpVersionMajor, headersDistinct }: IncomingMessage): boolean {
  const { host = [], 'transfer-encoding': codings = [] } = headersDistinct;
  const isFramed = codings.every((coding) => /^chunked$/i.test(coding));
  return url.startsWith('/') && httpVersionMajor === 1 && host.length < 2 && isFramed;
}

function refuseTarget({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const why = url.startsWith('/')
    ? 'The request must be HTTP/1.1, with one Host and no transfer coding but chunked.'
    : `"${url.slice(0, 60)}" is not a path. This is not a proxy: use its address as the URL.`;
  respondLast(400, { code: '400', message: `authcli: ${why}` }, response);
}

/** A response in JSON, behind which the connection ends. */
export function respondLast(status: number, fields: object, response: ServerResponse): void {
  const { headers, body } = jsonResponse(status, encodeUtf8(JSON.stringify(fields)));
  response.writeHead(status, { ...headers, 'content-length': body.length, connection: 'close' });
  response.end(body);
}

function close(server: Server, cut: () => void): Promise<void> {
  return new Promise((resolve) => {
    const end = setTimeout(cut, closeGraceMs);
    server.close(() => {
      clearTimeout(end);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function respond(
  message: IncomingMessage,
  response: ServerResponse,
  { handle, onError }: ServerOptions,
): Promise<void> {
  try {
    const request = await readRequest(message);
    if (request.bodyTooLarge) response.setHeader('connection', 'close');
    await deliver(await handle(request), response);
  } catch (error) {
    // The caller went away in the middle of its own request: no response can reach it.
    if (!message.complete) return;
    onError?.(error);
    if (response.headersSent) response.destroy();
    else await deliver(internalError, response);
  }
}

const internalError = jsonResponse(
  500,
  encodeUtf8('{"code":"9999","message":"The emulator failed; see its output."}'),
);

async function readRequest(message: IncomingMessage): Promise<EmulatorRequest> {
  const [path = '', ...query] = (message.url ?? '').split('?');
  return {
    method: message.method ?? '',
    path,
    query: query.join('?'),
    headers: Object.fromEntries(
      Object.entries(message.headersDistinct).map(([name, values = []]) => [
        name,
        values.join(', '),
      ]),
    ),
    peer: message.socket.remoteAddress,
    connection: connections.get(message.socket),
    ...(await readBody(message)),
  };
}

/** Connections by their numbers. */
const connections = new WeakMap<Socket, number>();
let accepted = 0;

async function readBody(
  message: IncomingMessage,
): Promise<Pick<EmulatorRequest, 'body' | 'bodyTooLarge'>> {
  const collected = new CollectedBytes(maxBodyBytes);
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    collected.add(chunk);
    size += chunk.length;
    if (size > maxBodyBytes + drainedBytes) break;
  }
  const bodyTooLarge = size > maxBodyBytes;
  return { body: collected.bytes, ...(bodyTooLarge && { bodyTooLarge }) };
}

/** Resolves once everything is handed to the system, or the connection is closed. */
async function deliver(response: EmulatorResponse, stream: ServerResponse): Promise<void> {
  const { delayMs = 0, breakOff } = response.delivery ?? {};
  if (delayMs > 0) await pause(delayMs, stream);
  if (stream.destroyed) return;
  if (response.stream !== undefined) return sendStream(response, response.stream, stream);
  if (breakOff === undefined) return send(response, stream);
  if (breakOff === 'reset' && stream.socket) resetConnection(stream.socket);
  if (breakOff !== 'truncate') return;
  const { status, headers, body } = response;
  stream.writeHead(status, { ...headers, 'content-length': body.length });
  // Closed, not reset: a reset would also take back what the peer has not read yet.
  stream.write(body.subarray(0, body.length >> 1), () => stream.destroy());
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', resolve));
}

async function send(
  { status, headers, body }: EmulatorResponse,
  response: ServerResponse,
): Promise<void> {
  const chunked = Object.keys(headers).some((name) => name.toLowerCase() === 'transfer-encoding');
  response.writeHead(status, chunked ? headers : { ...headers, 'content-length': body.length });
  response.end(body);
  await closed(response);
}

/** The most bytes that may wait for a reader that doesn't read. */
const maxWaitingBytes = 4_194_304;

async function sendStream(
  { status, headers }: EmulatorResponse,
  open: OpenStream,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  const stop = open({
    write: (text) => {
      if (response.writableEnded) return;
      response.write(text);
      if (response.writableLength > maxWaitingBytes) response.destroy();
    },
    end: () => response.end(),
  });
  await closed(response);
  stop();
}

/** Ends early with the connection, so that closing the server never waits for a slow response. */
async function pause(milliseconds: number, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  await delay(milliseconds, undefined, { signal: gone.signal }).catch(() => {});
}

/**
 * Takes a port, any with 0, without listening on it: a connection of our own begins there. The system would soon
 * give a free one to another server, which then receives what should be refused.
 */
async function holdPort(host: string, port: number) {
  const anchor = createTcpServer();
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
async function listenOnHeldPort(server: TcpServer, place: Place) {
  const { port, release } = await holdPort(place.host, 0);
  try {
    return { port: await listenAt(server, { ...place, port }), release };
  } catch {
    release();
    return { port: await listenAt(server, place), release: undefined };
  }
}

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
export async function listenAt(server: TcpServer, place: Place): Promise<number> {
  const { host, port } = place;
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (error) {
    // Node 24 refuses some hosts before it tries.
    throw bindError(error as NodeJS.ErrnoException, place);
  }
  return (server.address() as AddressInfo).port;
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
export function openSockets(server: TcpServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** The first byte of a TLS handshake (RFC 8446 section 5.1). */
const handshake = 0x16;
const mostPlainBytes = 65_536;
/** How long the rest of a request in plain text is waited for. */
const restMs = 200;

/** Accepts connections at a free port, reads what comes in plain text, and completes no handshake. */
export async function listenForTls(host: string) {
  const seen = new Map<Socket, Buffer>();
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      const before = seen.get(socket);
      if (before === undefined && chunk[0] === handshake) {
        socket.destroy();
        return;
      }
      if (before === undefined) setTimeout(() => socket.destroy(), restMs);
      const room = mostPlainBytes - (before?.length ?? 0);
      seen.set(socket, Buffer.concat([before ?? Buffer.alloc(0), chunk.subarray(0, room)]));
    });
  });
  const open = openSockets(server);
  return {
    port: await listenAt(server, { host, port: 0, who: 'The emulated service' }),
    /** What came that was not TLS, one text for each connection. */
    plainText: (): readonly string[] => [...seen.values()].map(String),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
