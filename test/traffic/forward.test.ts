import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { createUpstream } from '../../src/client/transport.ts';
import {
  capturedExchange,
  type ForwarderOptions,
  type SeenExchange,
  SeenMessage,
  startForwarder,
} from '../../src/traffic/forward.ts';
import { pour, settled } from '../support/resources.ts';

const open: { close(): unknown }[] = [];
after(() => Promise.all(open.map((each) => each.close())));

/** Bytes that a socket receives, as Latin-1, and how it ended. */
class Received {
  text = '';
  bytes = 0;
  ended = false;
  error: string | undefined;
  readonly socket: Socket;
  readonly #changes = new EventEmitter();

  constructor(socket: Socket, keeps = true) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (keeps) this.text += chunk.toString('latin1');
      this.#changes.emit('more');
    });
    socket.on('end', () => {
      this.ended = true;
      this.#changes.emit('more');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error.code;
      this.#changes.emit('more');
    });
  }

  /** Resolves once `isThere` is true for what came so far. */
  async until(isThere: (received: this) => boolean): Promise<this> {
    while (!isThere(this)) await once(this.#changes, 'more');
    return this;
  }
}

/** A server that knows no HTTP: `serve` gets each connection. */
async function rawServer(serve: (received: Received) => unknown, keeps = true) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    serve(new Received(socket, keeps));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

/** A connection to a port of loopback. */
function dial(port: number, keeps = true): Received {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  open.push({ close: () => socket.destroy() });
  return new Received(socket, keeps);
}

/** A relay in front of a port of loopback. */
async function relayTo(port: number, options: Partial<ForwarderOptions> = {}) {
  const exchanges: SeenExchange[] = [];
  const changes = new EventEmitter();
  const url = new URL(`http://127.0.0.1:${port}/callback`);
  const forwarder = await startForwarder({
    host: '127.0.0.1',
    port: 0,
    upstream: createUpstream(url, { timeoutMs: 5000, now: () => performance.now() }),
    now: () => performance.now(),
    onExchange: (exchange) => {
      exchanges.push(exchange);
      changes.emit('more');
    },
    ...options,
  });
  open.push(forwarder);
  /** Resolves with the exchanges once there are that many. */
  const seen = async (count: number): Promise<readonly SeenExchange[]> => {
    while (exchanges.length < count) await once(changes, 'more');
    return exchanges;
  };
  return { ...forwarder, exchanges, seen };
}

const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
const response = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

/** Behind a relay, a server that waits for a whole request and responds with bytes. */
async function responding(bytes: string, options: Parameters<typeof relayTo>[1] = {}) {
  let atServer: Received | undefined;
  const port = await rawServer(async (received) => {
    atServer = received;
    await received.until(({ text }) => /\r\n\r\n(?:\{\}|\r\n0\r\n\r\n)?$/.test(text));
    received.socket.end(Buffer.from(bytes, 'latin1'));
  });
  const relay = await relayTo(port, options);
  const exchanged = async (request: string) => {
    const caller = dial(relay.port);
    const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    caller.socket.write(Buffer.from(last, 'latin1'));
    await caller.until(({ ended }) => ended);
    caller.socket.end();
    return { caller: caller.text, server: atServer?.text ?? '' };
  };
  return { ...relay, upstreamPort: port, exchanged };
}

/** A relay in front of a server that says nothing, and a caller that has sent this. */
async function silentServer(sent: string) {
  let port = Promise.resolve(0);
  const server = new Promise<Received>((connected) => {
    port = rawServer(connected);
  });
  const relay = await relayTo(await port);
  const caller = dial(relay.port);
  caller.socket.write(sent);
  return { server: await server, relay, caller };
}

/** Header lines and body without what concerns a connection alone. */
function lines(message: string): readonly string[] {
  return message.split('\r\n').filter((line) => !/^(?:connection|keep-alive|host):/i.test(line));
}

describe('the forwarder', () => {
  it('passes on names, values, order, duplicates, reason and bytes as they came', async () => {
    const request = [
      'POST /callback?a=%20b&&c=d HTTP/1.1',
      ...['X-B: 1', 'x-a: 2', 'X-B: 3', 'X-L: \xfc\xff'],
      ...['Content-type: application/json;charset=utf-8', 'content-length: 2', '', '{}'],
    ].join('\r\n');
    const answered = [
      'HTTP/1.1 207 Sehr gut \xc3\xa4',
      ...['set-cookie: a', 'Set-Cookie: b', 'X-L: \xfc', 'Server: x', 'Content-Length: 3'],
      ...['', '\x00\xff!'],
    ].join('\r\n');
    const relay = await responding(answered);
    const { caller, server } = await relay.exchanged(
      request.replace('\r\n', `\r\nHost: 127.0.0.1:${relay.port}\r\n`),
    );
    assert.deepEqual(lines(caller), lines(answered));
    assert.deepEqual(lines(server).toSorted(), lines(request).toSorted());
    assert.match(server, new RegExp(`^host: 127\\.0\\.0\\.1:${relay.upstreamPort}\\r$`, 'im'));
  });

  it('leaves out what concerns the connection alone', async () => {
    const hop = 'X-Hop\r\nX-Hop: 1\r\nX-End: 2';
    const relay = await responding(response.replace('\r\n', `\r\nConnection: close, ${hop}\r\n`));
    const own = `\r\nConnection: keep-alive, ${hop}\r\nTE: trailers\r\n`;
    const { caller, server } = await relay.exchanged(post.replace('\r\n', own));
    for (const message of [caller, server]) {
      assert.doesNotMatch(message, /X-Hop|^TE:/m);
      assert.match(message, /^X-End: 2\r$/m);
    }
  });

  const hints = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  const chunks = '5;x\r\n01234\r\n0\r\nX-T: 1\r\n\r\n';
  const responses: Readonly<Record<string, readonly [sent: string, body: string]>> = {
    'a body that ends with the connection': ['HTTP/1.0 200 OK\r\n\r\n{"a":1}', '{"a":1}'],
    chunks: [`HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n${chunks}`, '01234'],
    'informational responses before the final one': [`${hints}${response}`, '{}'],
    'a 204 that states a length': ['HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n', ''],
  };
  for (const [name, [sent, body]] of Object.entries(responses)) {
    it(`passes on ${name}`, async () => {
      const relay = await responding(sent);
      const { caller } = await relay.exchanged(post);
      const [exchange] = await relay.seen(1);
      assert.equal(exchange?.response?.body.toString(), body);
      assert.equal(exchange?.failure, undefined);
      assert.ok(caller.replaceAll(/\r\n[0-9a-f]+\r\n|0\r\n\r\n$/g, '').includes(body));
    });
  }

  for (const [version, most] of [
    ['1.1', 3],
    ['1.0', 1],
  ] as const)
    it(`keeps the caller's connection where HTTP/${version} gives ${most} responses in one`, async () => {
      let connections = 0;
      const port = await rawServer(async (received) => {
        connections += 1;
        for (let count = 1; count <= most; count += 1) {
          await received.until(({ text }) => text.split('{}').length > count);
          received.socket.write(response.replace('HTTP/1.1', `HTTP/${version}`));
        }
        received.socket.end();
      });
      const relay = await relayTo(port);
      const caller = dial(relay.port);
      for (let count = 1; count <= 3; count += 1) {
        caller.socket.write(post);
        await caller.until(({ text }) => text.split('{}').length > count);
      }
      assert.equal(connections, 3 / most);
      assert.ok((await relay.seen(3)).every(({ failure }) => failure === undefined));
    });

  it('passes on each part as it comes', async () => {
    const { server, relay, caller } = await silentServer(
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n',
    );
    await caller.until(({ text }) => text.startsWith('HTTP/1.1 100 Continue'));
    caller.socket.write('{');
    await server.until(({ text }) => text.endsWith('\r\n\r\n{'));
    caller.socket.write('}');
    server.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
    await caller.until(({ text }) => /200 OK.*\r\n\r\n$/s.test(text));
    server.socket.write('{');
    await caller.until(({ text }) => text.endsWith('{'));
    server.socket.write('}');
    const [exchange] = await relay.seen(1);
    assert.equal(exchange?.response?.body.toString(), '{}');
    assert.equal(exchange?.request.body.toString(), '{}');
  });

  const head = 'HTTP/1.1 200 OK\r\n';
  const inChunk = `${head}Transfer-Encoding: chunked\r\n\r\nA\r\n{"co`;
  const stages: [stage: string, sent: string, ...ways: ('end' | 'reset')[]][] = [
    ['before a response', '', 'reset', 'end'],
    // a reset behind part of a head may reach the relay as an end
    ['in the headers', `${head}Content-`, 'end'],
    ['in the body', `${head}Content-Length: 10\r\n\r\n{"co`, 'reset', 'end'],
    ['in a chunk', inChunk, 'reset', 'end'],
  ];
  for (const [stage, sent, ...ways] of stages) {
    for (const how of ways) {
      it(`passes on a server's ${how} ${stage}`, async () => {
        const body = sent.includes('{"co') ? '{"co' : '';
        const port = await rawServer(async (received) => {
          // the relay asks a silent server whether it speaks TLS
          await received.until(({ text }) => /\{\}$|^[^P]/.test(text));
          await new Promise((resolve) => received.socket.write(sent, resolve));
          if (how === 'end') return received.socket.end();
          // a reset takes back what the other side hasn't read yet
          await caller.until(({ text }) => text.includes(body));
          return received.socket.resetAndDestroy();
        });
        const relay = await relayTo(port);
        const caller = dial(relay.port);
        caller.socket.write(post);
        await caller.until(({ ended, error }) => ended || error !== undefined);
        assert.ok(caller.text.includes(body), caller.text);
        assert.equal(caller.text === '', body === '');
        assert.equal(caller.error, how === 'reset' ? 'ECONNRESET' : undefined);
        const [exchange] = await relay.seen(1);
        assert.equal(exchange?.failure?.code, 'reset');
      });
    }
  }

  const start = 'POST / HTTP/1.1\r\nHost: a\r\n';
  const sentBefore: Readonly<Record<string, string>> = {
    'in the body': `${start}Content-Length: 20\r\n\r\n{}`,
    'in a chunk': `${start}Transfer-Encoding: chunked\r\n\r\nA\r\n{"co`,
    'before the response': post,
  };
  for (const [stage, sent] of Object.entries(sentBefore)) {
    it(`ends the request of a caller that has gone ${stage}`, async () => {
      const { server, relay, caller } = await silentServer(sent);
      await server.until(({ text }) => text.includes(sent.slice(-2)));
      caller.socket.resetAndDestroy();
      await server.until(({ ended, error }) => ended || error !== undefined);
      const [exchange] = await relay.seen(1);
      assert.match(exchange?.failure?.message ?? '', /^The caller closed the connection/);
    });
  }

  it('reads as fast as the other side does, each way, and keeps 1 MiB', async () => {
    const size = 50_000_000;
    const text = 'x'.repeat(50_000);
    const { server, relay, caller } = await silentServer(
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`,
    );
    const sent = pour(caller.socket, text, 1000);
    await server.until(({ bytes }) => bytes > 0);
    server.socket.pause();
    assert.ok((await settled(sent)) < 900);
    server.socket.resume();
    await server.until(({ bytes }) => bytes > size);
    caller.socket.pause();
    server.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
    assert.ok((await settled(pour(server.socket, text, 1000))) < 900);
    caller.socket.resume();
    const [exchange] = await relay.seen(1);
    assert.equal(exchange?.response?.size, size);
    assert.equal(exchange?.response?.body.length, 1_048_576);
    assert.ok(exchange);
    const { request, response: answered } = await capturedExchange(exchange, 'it', 'caller');
    assert.deepEqual([request?.isCut, answered?.isCut], [true, true]);
  });

  for (const sent of ['ICY 200 OK\r\n\r\nmusic', '\x15\x03\x01\x00\x02\x02\x16']) {
    it(`says with a 502 that ${JSON.stringify(sent)} is not HTTP`, async () => {
      const relay = await responding(sent);
      const { caller } = await relay.exchanged(post);
      assert.match(caller, /^HTTP\/1\.1 502 /);
      const [exchange] = await relay.seen(1);
      assert.equal(exchange?.ownStatus, 502);
    });
  }

  it('reads nothing from callers while there is no capacity for more exchanges', async () => {
    const [asked, room] = [new EventEmitter(), new EventEmitter()];
    const ready = () => {
      asked.emit('it');
      return once(room, 'it').then(() => {});
    };
    const relay = await responding(response, { ready });
    const isAsked = once(asked, 'it');
    const exchanged = relay.exchanged(post);
    await isAsked;
    assert.equal(relay.exchanges.length, 0);
    room.emit('it');
    assert.match((await exchanged).server, /^POST/);
  });

  const replacements = {
    'a body with a length': 'Content-Length: 2\r\n\r\n{}',
    'a body in chunks': 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  };
  for (const [name, sent] of Object.entries(replacements)) {
    it(`replaces ${name}`, async () => {
      let atServer = '';
      const port = await rawServer(async (received) => {
        atServer = (await received.until(({ text }) => text.endsWith('[12]'))).text;
        received.socket.end(response);
      });
      const intercept = () => ({
        request: async () => Buffer.from('[12]'),
        response: () => async () => Buffer.from('[345]'),
      });
      const relay = await relayTo(port, { intercept });
      const caller = dial(relay.port);
      caller.socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${sent}`);
      await caller.until(({ text }) => text.endsWith('[345]'));
      assert.match(atServer, /^content-length: 4\r\n(?:.*\r\n)*\r\n\[12\]$/im);
      assert.match(caller.text, /^content-length: 5\r\n(?:.*\r\n)*\r\n\[345\]$/im);
      const [exchange] = await relay.seen(1);
      const went = exchange && (await capturedExchange(exchange, 'it', 'called'));
      assert.equal(Buffer.from(went?.request?.body ?? []).toString(), '[12]');
      assert.equal(Buffer.from(went?.response?.body ?? []).toString(), '{}');
    });
  }

  it('leaves its own time for a key pair out of the duration', async () => {
    const head = { method: 'POST', target: '/callback', request: new SeenMessage([]) };
    const exchange = { ...head, startedAt: 1000, endedAt: 1750, heldMs: 700, privateKeys: [] };
    assert.equal((await capturedExchange(exchange, 'exchange 1', 'called')).durationMs, 50);
  });
});
