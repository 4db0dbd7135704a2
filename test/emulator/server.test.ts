import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { after, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { EmulatorRequest, EmulatorResponse, OpenStream } from '../../src/emulator/http.ts';
import { jsonResponse } from '../../src/emulator/http.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/emulator/server.ts';
import { pour, settled } from '../support/resources.ts';

const running: RunningServer[] = [];
after(() => Promise.all(running.map((server) => server.close())));

const hello = jsonResponse(200, Buffer.from('{"code":"0000"}'));

async function serve(
  response: EmulatorResponse | (() => EmulatorResponse) = hello,
  options: Partial<ServerOptions> = {},
) {
  const received: EmulatorRequest[] = [];
  const handle = async (request: EmulatorRequest) => {
    received.push(request);
    return typeof response === 'function' ? response() : response;
  };
  const server = await startServer({ host: '127.0.0.1', port: 0, handle, ...options });
  running.push(server);
  return { server, received };
}

async function send(url: string, options: http.RequestOptions = {}, body = '') {
  const request = http.request(url, { method: 'POST', ...options });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, headers: response.headers, text };
}

describe('the server of the emulators', () => {
  for (const [holdsPort, refuses] of [
    [false, true],
    [true, false],
  ]) {
    const what = `${holdsPort ? 'held' : 'taken'}, ${refuses ? 'refused' : 'never refused'}`;
    it(`gives its port back once it is closed: ${what}`, async () => {
      const { server } = await serve(hello, { holdsPort });
      await send(server.url, { agent: false });
      if (refuses) {
        await server.refuse();
        const [error] = await once(connect(server.port, '127.0.0.1'), 'error');
        assert.equal(error.code, 'ECONNREFUSED');
      }
      await server.close();
      const next = await serve(hello, { port: server.port });
      assert.equal((await send(next.server.url, { agent: false })).status, 200);
    });
  }

  it('hands on method, path, query, headers, body and peer', async () => {
    const { server, received } = await serve();
    assert.equal(server.url, `http://127.0.0.1:${server.port}`);
    const headers = { 'X-One': 'a', 'x-two': ['b', 'c'] };
    await send(`${server.url}/a%20b?x=1?y=2`, { headers }, 'päyload');
    const { headers: got, body, connection: _, ...request } = received[0] ?? assert.fail();
    const line = { method: 'POST', path: '/a%20b', query: 'x=1?y=2', peer: '127.0.0.1' };
    assert.deepEqual(request, line);
    assert.deepEqual(
      [got['x-one'], got['x-two'], `${Buffer.from(body)}`],
      ['a', 'b, c', 'päyload'],
    );
  });

  it('sends status, headers and body, with their length or in chunks', async () => {
    const { server } = await serve(jsonResponse(405, Buffer.from('né'), { allow: 'POST' }));
    const sent = { headers: { connection: 'keep-alive' } };
    const { status, headers, text } = await send(server.url, sent);
    assert.deepEqual([status, text, headers.allow], [405, 'né', 'POST']);
    // An idle connection is kept as long as the client keeps it.
    assert.deepEqual([headers.connection, headers['keep-alive']], ['keep-alive', undefined]);
    assert.equal(headers['content-length'], '3');
    assert.equal(headers['content-type'], 'application/json;charset=utf-8');
    const chunked = await serve({ ...hello, headers: { 'Transfer-Encoding': 'chunked' } });
    const inChunks = await send(chunked.server.url);
    assert.equal(inChunks.headers['content-length'], undefined);
    assert.equal(inChunks.text, '{"code":"0000"}');
  });

  it('marks a body that is larger than it takes, and responds to it', async () => {
    const { server, received } = await serve();
    const limit = 1_048_576;
    const large = await send(server.url, {}, 'x'.repeat(3_000_000));
    assert.equal(large.status, 200);
    assert.equal(large.headers.connection, 'close');
    assert.deepEqual([received[0]?.body.length, received[0]?.bodyTooLarge], [limit, true]);
    await send(server.url, {}, 'x'.repeat(limit));
    assert.deepEqual([received[1]?.body.length, received[1]?.bodyTooLarge], [limit, undefined]);
  });

  for (const [breakOff, ...found] of [['reset'], ['truncate', 200]] as const) {
    it(`ends a connection that is to ${breakOff}, behind the status ${found}`, async () => {
      const { server } = await serve({ ...hello, delivery: { breakOff } });
      const request = http.request(server.url, { method: 'POST' }).end();
      const statuses: (number | undefined)[] = [];
      const read = async () => {
        const [response] = await once(request, 'response');
        statuses.push(response.statusCode);
        for await (const _ of response);
      };
      await assert.rejects(read(), { code: 'ECONNRESET' });
      assert.deepEqual(statuses, found);
    });
  }

  it('responds with 500 and reports it when the handler fails', async () => {
    const errors: unknown[] = [];
    const failure = new Error('a bug');
    const fail = () => {
      throw failure;
    };
    const { server } = await serve(fail, { onError: (error) => errors.push(error) });
    const { status, text } = await send(server.url);
    assert.deepEqual([status, JSON.parse(text).code], [500, '9999']);
    assert.ok(!text.includes('a bug'));
    assert.deepEqual(errors, [failure]);
  });

  it('reads no further requests of a connection while one is handled', async () => {
    const { server } = await serve({ ...hello, delivery: { delayMs: 60_000 } });
    const socket = connect(server.port, '127.0.0.1').on('error', () => {});
    const request = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(10_000)}\r\n\r\n`;
    const written = await settled(pour(socket, request, 5000));
    server.cut();
    assert.ok(written < 4000);
  });

  it('cuts a stream off whose reader takes too little', { timeout: 60_000 }, async () => {
    const isCut = new EventEmitter();
    const stream: OpenStream = (sink) => {
      const timer = setInterval(() => sink.write('x'.repeat(1_000_000)), 1);
      return () => isCut.emit('it', clearInterval(timer));
    };
    const { server } = await serve({ ...hello, stream });
    const socket = connect(server.port, '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(isCut, 'it');
    socket.destroy();
  });

  it('does not mind a caller who sends no HTTP, or leaves in the middle of a request', async () => {
    const errors: unknown[] = [];
    const { server, received } = await serve(hello, { onError: (error) => errors.push(error) });
    const noHttp = connect(server.port, '127.0.0.1');
    noHttp.end('hello\r\n\r\n');
    const [chunk] = (await once(noHttp, 'data')) as [Buffer];
    assert.match(chunk.toString(), /^HTTP\/1\.1 400/);
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const half = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf';
    const begun = new Promise((resolve) => subscribe('http.server.request.start', resolve));
    socket.write(half);
    await begun;
    socket.resetAndDestroy();
    assert.equal((await send(server.url)).status, 200);
    assert.deepEqual([received.length, errors.length], [1, 0]);
  });
});

describe('the address of the server', () => {
  it('may be IPv6 or a name', async () => {
    for (const [host, url] of [
      ['::1', /^http:\/\/\[::1\]:\d+$/],
      ['localhost', /^http:\/\/localhost:\d+$/],
    ] as const) {
      const { server } = await serve(hello, { host });
      assert.match(server.url, url);
      assert.equal((await send(server.url)).status, 200);
    }
  });

  it('may neither be taken nor of another machine', async () => {
    const { port } = (await serve()).server;
    await assert.rejects(serve(hello, { port }), {
      code: 'usage',
      message: `The emulator can't listen on 127.0.0.1, port ${port}: the port is already in use.`,
      hint: 'Choose another port, or 0 for any free one.',
    });
    await assert.rejects(serve(hello, { host: '192.0.2.1' }), {
      code: 'usage',
      message: /listen on 192\.0\.2\.1, port 0: the address does not belong to this machine\.$/,
      hint: 'Use 127.0.0.1, or ::1 for IPv6.',
    });
  });
});

const keepForever = (message: unknown): void => {
  (message as { server: http.Server }).server.keepAliveTimeout = 0;
};

describe('closing the server', () => {
  it('ends kept connections at once', { timeout: 60_000 }, async () => {
    const { server } = await serve();
    const agent = new http.Agent({ keepAlive: true });
    // Nothing but the closing ends the connection: neither its idle time nor the grace period.
    subscribe('http.server.request.start', keepForever);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      await send(server.url, { agent });
      await server.close();
    } finally {
      unsubscribe('http.server.request.start', keepForever);
      mock.timers.reset();
      agent.destroy();
    }
  });

  it('lets a call that is under way end, which waits as long as its response asks for', async () => {
    const { server, received } = await serve({ ...hello, delivery: { delayMs: 100 } });
    const start = performance.now();
    const response = send(server.url);
    while (received.length === 0) await setImmediate();
    await server.close();
    assert.equal((await response).status, 200);
    assert.ok(performance.now() - start >= 95);
  });

  it('does not wait for calls that never end', { timeout: 60_000 }, async () => {
    const { server, received } = await serve({ ...hello, delivery: { breakOff: 'silence' } });
    const failed = assert.rejects(send(server.url), { code: 'ECONNRESET' });
    while (received.length === 0) await setImmediate();
    await server.close();
    await failed;
  });
});
