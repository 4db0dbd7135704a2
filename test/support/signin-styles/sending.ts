import { Agent, request as httpRequest, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Pool, request as undiciRequest } from 'undici';
import { afterTurns } from '../patience.ts';

/** A response that came whole. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends one request; rejects without a whole response. */
export type Send = (url: string, body: string) => Promise<Reply>;

/** Only responses that never come take this long. */
const patienceMs = 1500;
const late = 'no response in time';

/** For what takes a signal. */
function patience(): AbortSignal {
  const controller = new AbortController();
  afterTurns(patienceMs, () => controller.abort(new Error(late)));
  return controller.signal;
}

const type = 'application/json;charset=utf-8';

/** node:http, with what differs from a plain request. */
function overHttp(options: RequestOptions & { headers?: Record<string, string> } = {}): Send {
  return (url, body) =>
    new Promise((resolve, reject) => {
      const { headers = {}, ...others } = options;
      const length = { 'content-length': Buffer.byteLength(body) };
      const isChunked = 'transfer-encoding' in headers;
      const outgoing = httpRequest(url, {
        method: 'POST',
        agent: false,
        headers: { 'Content-type': type, ...(!isChunked && length), ...headers },
        ...others,
      });
      outgoing.on('error', reject);
      outgoing.on(
        'close',
        afterTurns(patienceMs, () => outgoing.destroy(new Error(late))),
      );
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('error', reject);
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          try {
            const bytes = Buffer.concat(chunks);
            const isPacked = incoming.headers['content-encoding'] === 'gzip';
            resolve({
              status: incoming.statusCode ?? 0,
              type: incoming.headers['content-type'] ?? '',
              text: (isPacked ? gunzipSync(bytes) : bytes).toString(),
            });
          } catch (error) {
            reject(error);
          }
        });
      });
      if ('expect' in headers) {
        outgoing.flushHeaders();
        outgoing.on('continue', () => outgoing.end(body));
      } else {
        outgoing.end(body);
      }
    });
}

/** A socket and the lines of the protocol, as small clients of devices do it. */
function overSocket(version: '1.0' | '1.1', pieces: (request: string) => readonly string[]): Send {
  return (address, body) =>
    new Promise((resolve, reject) => {
      const { hostname, port, host, pathname, protocol } = new URL(address);
      if (protocol !== 'http:') throw new Error('no TLS here');
      const socket = connect(Number(port), hostname);
      const head = [
        `POST ${pathname} HTTP/${version}`,
        `Host: ${host}`,
        `Content-type: ${type}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
      ];
      const chunks: Buffer[] = [];
      socket.setNoDelay(true);
      socket.on(
        'close',
        afterTurns(patienceMs, () => socket.destroy(new Error(late))),
      );
      socket.on('error', reject);
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('end', () => {
        try {
          resolve(read(Buffer.concat(chunks)));
        } catch (error) {
          reject(error);
        }
      });
      socket.on('connect', async () => {
        for (const piece of pieces(`${head.join('\r\n')}\r\n\r\n${body}`)) {
          socket.write(piece);
          await delay(2);
        }
      });
    });
}

/** The response in all that came on a connection; throws unless it is whole. */
function read(bytes: Buffer): Reply {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('no response');
  const [line = '', ...fields] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Map(
    fields.map((field) => {
      const [name = '', ...value] = field.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  const rest = bytes.subarray(end + 4);
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (!(rest.length >= length)) throw new Error('a response that is not whole');
  if (headers.has('content-encoding')) throw new Error('a compressed response');
  const text = rest.subarray(0, length).toString();
  return { status: Number(line.split(' ')[1]), type: headers.get('content-type') ?? '', text };
}

const overFetch: Send = async (url, body) => {
  const options = { method: 'POST', headers: { 'content-type': type }, body } as const;
  const response = await fetch(url, { ...options, redirect: 'error', signal: patience() });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type') ?? '', text };
};

const undiciOptions = { method: 'POST', headers: { 'content-type': type } } as const;

const overUndici: Send = async (url, body) => {
  const {
    statusCode: status,
    headers,
    body: stream,
  } = await undiciRequest(url, {
    ...undiciOptions,
    body,
    signal: patience(),
  });
  return { status, type: String(headers['content-type']), text: await stream.text() };
};

/** Connections are kept for all sign-ins with one service. */
function overPools(): Send {
  const pools = new Map<string, Pool>();
  return async (address, body) => {
    const { origin, pathname: path } = new URL(address);
    const pool = pools.get(origin) ?? new Pool(origin, { connections: 2 });
    pools.set(origin, pool);
    const response = await pool.request({ ...undiciOptions, path, body, signal: patience() });
    const { statusCode: status, headers, body: stream } = response;
    return { status, type: String(headers['content-type']), text: await stream.text() };
  };
}

/** Nothing was sent where the connection is refused, so that it may be tried again. */
function tryingAgain(send: Send): Send {
  return async (url, body) => {
    for (let left = 3; ; left -= 1) {
      try {
        return await send(url, body);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ECONNREFUSED' || left === 0) throw error;
        await delay(20);
      }
    }
  };
}

/** One request after another, whoever it is for. */
function inTurn(send: Send): Send {
  let last: Promise<unknown> = Promise.resolve();
  return (url, body) => {
    const reply = last.then(() => send(url, body));
    last = reply.catch(() => {});
    return reply;
  };
}

const single = (request: string) => [request];
const cutUp = (request: string) => request.match(/[\s\S]{1,97}/g) ?? [];

/** Ways to send a request, each made anew for an application, which may keep connections. */
export const sending = {
  plain: () => overHttp(),
  'keep-alive': () => overHttp({ agent: new Agent({ keepAlive: true }) }),
  'one-connection': () => overHttp({ agent: new Agent({ keepAlive: true, maxSockets: 1 }) }),
  chunked: () => overHttp({ headers: { 'transfer-encoding': 'chunked' } }),
  'closes-connections': () => overHttp({ headers: { connection: 'close' } }),
  'waits-to-continue': () => overHttp({ headers: { expect: '100-continue' } }),
  'accepts-gzip': () => overHttp({ headers: { 'accept-encoding': 'gzip' } }),
  'more-headers': () =>
    overHttp({
      headers: {
        'user-agent': 'shop/3.1',
        accept: 'application/json, */*;q=0.1',
        'x-request-id': '4f0c1c1e-6a43-4f7e-a7a7-3f0c6f2b9b11',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        cookie: 'lang=de',
      },
    }),
  'http-1.0': () => overSocket('1.0', single),
  'small-pieces': () => overSocket('1.1', cutUp),
  fetch: () => overFetch,
  undici: () => overUndici,
  pools: overPools,
  'tries-refused-again': () => tryingAgain(overHttp()),
  'one-at-a-time': () => inTurn(overHttp()),
  slowly: (): Send => async (url, body) => {
    await delay(60);
    return overHttp()(url, body);
  },
} satisfies Readonly<Record<string, () => Send>>;
