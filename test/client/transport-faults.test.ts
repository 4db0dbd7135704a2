import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import type { DiagnosisCode } from '../../src/errors.ts';
import {
  assertFailure,
  bodyOf,
  exchangeWith,
  pass,
  post,
  sendOnce,
  withTransport,
} from '../support/client.ts';
import { type Line, listen, okResponse, startFaultServer } from '../support/fault-server.ts';

const nowhere = new URL('http://127.0.0.1:1/');

/** Waits for the request, then sends what is there, then ends or cuts the connection. */
function after(text: string, end?: 'end' | 'reset'): (line: Line) => Promise<void> {
  return async (line) => {
    await line.request();
    line.send(text);
    if (end === 'end') line.socket.end();
    if (end === 'reset') setTimeout(() => line.socket.resetAndDestroy(), 20);
  };
}

async function drip(line: Line): Promise<void> {
  await line.request();
  line.send('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
  const timer = setInterval(() => line.send('x'), 10);
  line.socket.on('close', () => clearInterval(timer));
}

const ok = 'HTTP/1.1 200 OK\r\n';
const whole = 'content-length: 0\r\n\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const short = `${ok}content-length: 9\r\n\r\n{}`;
const oops = short.replace('200 OK', '500 Oops');
const ssh = 'SSH-2.0-OpenSSH_9.6\r\n';
const unreadable =
  /is not HTTP\/1\.1 \(Expected HTTP\/.*; it stopped at "SSH-2\.0-OpenSSH_9\.6\\r\\n"\)/;
const tooLarge = /response headers of localhost:\d+ are larger than 16 KiB/;

/** What a peer does wrong on the wire, and its diagnosis; the status where the head of a response came. */
const faults: [string, (line: Line) => unknown, DiagnosisCode, RegExp, status?: number][] = [
  ['closed at once', ({ socket }) => socket.destroy(), 'reset', /without a response/],
  ['reset at once', ({ socket }) => socket.resetAndDestroy(), 'reset', /closed by the/],
  ['reset after the request', after('', 'reset'), 'reset', /without a response \(ECONNRESET\)/],
  ['a short body', after(short, 'end'), 'reset', /the response: 2 of the 9 bytes/, 200],
  ['a reset body', after(oops, 'reset'), 'reset', /response \(ECONNRESET\): 2 of the 9 b/, 500],
  ['no last chunk', after(`${chunked}2\r\n{}\r\n`, 'end'), 'reset', /response: 2 bytes/, 200],
  ['no response', after(''), 'timeout', /within 1 s: the response headers had not arrived/],
  ['a body that drips', drip, 'timeout', /was not complete \(\d+ of the 1000 bytes/, 200],
  ['another protocol', (line) => line.send(ssh), 'protocol-error', unreadable],
  ['a broken status', after('HTTP/1.1 abc OK\r\n\r\n'), 'protocol-error', /\(Invalid status/],
  ['a broken chunk', after(`${chunked}zz\r\n`), 'protocol-error', /is not HTTP\/1\.1/, 200],
  ['controls', after('\u001b[2J\u001b]0;owned\u0007 \r\n'), 'protocol-error', /^\P{Cc}*$/u],
  ['64 KiB', after(`${ok}x: ${'a'.repeat(65536)}\r\n${whole}`), 'protocol-error', tooLarge],
];

describe('a fault of the peer', () => {
  for (const [name, serve, code, message, status] of faults) {
    it(`${name}: ${code}`, async ({ mock }) => {
      const timeoutMs = code === 'timeout' ? 1000 : undefined;
      if (timeoutMs) mock.timers.enable({ apis: ['setTimeout'] });
      const serveInTime = async (line: Line) => {
        await serve(line);
        if (timeoutMs) await pass(mock.timers, timeoutMs);
      };
      const { exchange } = await exchangeWith(serveInTime, timeoutMs ? { timeoutMs } : {});
      assertFailure(exchange, code, message);
      assert.equal(exchange.partial?.status, status);
    });
  }

  it('a name without an address: dns', async () => {
    const exchange = await sendOnce(new URL('http://no-such-host.invalid/'));
    assertFailure(exchange, 'dns', /^The name no-such-host\.invalid /);
    assert.deepEqual(exchange.timings, {});
  });
});

describe('retries', () => {
  it('repeat a request until a response arrives', async () => {
    const serve = async (line: Line) => {
      await line.request();
      if (line.index < 2) line.socket.destroy();
      else line.send(okResponse('{}'));
    };
    const { exchange } = await exchangeWith(serve, { retries: 3 });
    assert.equal(bodyOf(exchange), '{}');
    // The second connection was to ask whether the port speaks TLS.
    assert.equal(exchange.attempts, 2);
  });

  it('end with the last failure', async () => {
    const exchange = await sendOnce(nowhere, { retries: 1 });
    assertFailure(exchange, 'refused', /nothing listens there.*ECONNREFUSED/);
    assert.equal(exchange.attempts, 2);
  });
});

describe('cancelling', () => {
  const reason = new Error('interrupted');

  it('ends all requests under way with the reason of the signal, also between two tries', async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, retries: 50 };
    const server = await startFaultServer(async (line) => {
      await line.request();
      if (line.index === 1) setTimeout(() => controller.abort(reason), 20);
    });
    await withTransport(options, async (transport) => {
      const sent = [server.url, server.url, nowhere].map((url) => transport.send(post(url)));
      for (const result of await Promise.allSettled(sent))
        assert.deepEqual(result, { status: 'rejected', reason });
    }).finally(() => server.close());
  });

  it('close() ends the sockets, and a request under way as reset', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      closing();
    });
    let closing = () => {};
    await withTransport({}, async (transport) => {
      closing = () => void transport.close();
      assertFailure(await transport.send(post(server.url)), 'reset', /closed/);
    }).finally(() => server.close());
  });
});

describe('the wrong scheme', () => {
  it('names plain HTTP where the URL says https', async () => {
    const server = await listen(createServer(), 'https');
    const exchange = await sendOnce(server.url).finally(() => server.close());
    assertFailure(exchange, 'protocol-error', /speaks plain HTTP, but the URL starts with https/);
  });

  const page = '<title>400 The plain HTTP request was sent to HTTPS port</title>';
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-length: ${page.length}\r\n\r\n`;
  const servers: [string, (line: Line) => unknown, status?: number][] = [
    ['a server says so itself', after(head + page), 400],
    ['a plain request gets an alert', (line) => line.send(Buffer.from('15030300020246', 'hex'))],
  ];
  for (const [name, serve, status] of servers) {
    it(`names TLS where ${name}`, async () => {
      const { exchange } = await exchangeWith(async (line) => void (await serve(line)));
      assertFailure(exchange, 'protocol-error', /speaks TLS, but the URL starts with http/);
      assert.equal(exchange.partial?.status, status);
    });
  }
});
