import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Headers, statusOf } from '../../src/client/exchange.ts';
import { toWireText } from '../../src/client/recording.ts';
import { createTransport } from '../../src/client/transport.ts';
import { secretOptions } from '../../src/client/transport-options.ts';
import { bodyOf, post, sendOnce, withTransport } from '../support/client.ts';
import { okResponse, startFaultServer } from '../support/fault-server.ts';

async function withResponder(use: (url: URL, received: Buffer[]) => Promise<void>): Promise<void> {
  const server = await startFaultServer(async (line) => {
    for (;;) {
      await line.request();
      line.send(
        okResponse('{"code":"0000"}', 'X-Mixed-Case: Ünï\r\nset-cookie: a\r\nset-cookie: b\r\n'),
      );
    }
  });
  await use(server.url, server.received).finally(() => server.close());
}

describe('a request on the wire', () => {
  it('is what the interface says, byte for byte', async () => {
    await withResponder(async (url, received) => {
      const body = '{"name":"김하늘"}';
      await sendOnce(url, {}, body);
      assert.equal(
        received[0]?.toString('utf8'),
        `POST /callback HTTP/1.1\r\nhost: localhost:${url.port}\r\nconnection: keep-alive\r\n` +
          'Content-type: application/json;charset=utf-8\r\n' +
          `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  });

  it('is recorded as it was sent', async () => {
    await withResponder(async (url, received) => {
      const headers: Headers = [
        ['X-Tenant', 'a'],
        ['X-Tenant', 'b'],
      ];
      const exchange = await sendOnce(new URL(`${url.href}?q=1&r=%20`), { headers });
      const request = toWireText(exchange).split('\n\nHTTP/1.1')[0];
      assert.equal(request, received[0]?.toString('utf8').replaceAll('\r\n', '\n'));
    });
  });

  it('takes the headers of the user, which replace defaults of the same name in any case', async () => {
    await withResponder(async (url, received) => {
      const headers: Headers = [
        ['CONTENT-TYPE', 'text/plain'],
        ['Host', 'other.example'],
      ];
      await sendOnce(url, { headers });
      const head = received[0]?.toString('latin1') ?? '';
      assert.match(head, /^host: other\.example\r$/m);
      assert.match(head, /^CONTENT-TYPE: text\/plain\r$/m);
      assert.equal(head.match(/content-type/gi)?.length, 1);
      assert.equal(head.match(/^host/gim)?.length, 1);
    });
  });

  it('frames the message itself, whatever the request says', async () => {
    await withResponder(async (url, received) => {
      const headers: Headers = [
        ['Content-Length', '999'],
        ['connection', 'close'],
        ['X-A', 'b'],
      ];
      await withTransport({}, (transport) => transport.send({ ...post(url), headers }));
      assert.equal(
        received[0]?.toString('latin1'),
        `POST /callback HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\nX-A: b\r\ncontent-length: 7\r\n\r\n{"a":1}`,
      );
    });
  });

  it('states the length of an empty POST', async () => {
    await withResponder(async (url, received) => {
      await sendOnce(url, {}, '');
      assert.match(received[0]?.toString('latin1') ?? '', /content-length: 0\r\n\r\n$/);
    });
  });
});

describe('a response', () => {
  it('keeps headers in their order, case and number, and is timed', async () => {
    await withResponder(async (url) => {
      const exchange = await sendOnce(url);
      assert.equal(exchange.response?.status, 200);
      assert.equal(exchange.response?.statusText, 'OK');
      assert.equal(exchange.response?.encodedBodyBytes, 15);
      assert.deepEqual(exchange.response?.headers, [
        ['content-type', 'application/json'],
        ['content-length', '15'],
        ['X-Mixed-Case', 'Ünï'],
        ['set-cookie', 'a'],
        ['set-cookie', 'b'],
      ]);
      assert.equal(exchange.attempts, 1);
      const parts = Object.keys(exchange.timings);
      assert.deepEqual(parts, ['lookupMs', 'connectMs', 'firstByteMs', 'bodyMs']);
    });
  });

  it('of a redirect is returned, not followed', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send('HTTP/1.1 302 Moved\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n');
    });
    assert.equal(statusOf(await sendOnce(server.url)), 302);
    assert.equal(server.connections(), 1);
    await server.close();
  });

  it('may come up to the end of the connection', async () => {
    const responses = ['HTTP/1.1 200 OK\r\n\r\n{"a"', 'HTTP/1.0 200 OK\r\n\r\n{"a"'];
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.socket.end(responses[line.index] ?? '');
    });
    for (const _ of responses) assert.equal(bodyOf(await sendOnce(server.url)), '{"a"');
    await server.close();
  });
});

describe('headers that the user adds', () => {
  const cases: [Headers, RegExp][] = [
    [[['X Y', 'a']], /"X Y" is not a header name/],
    [[['', 'a']], /"" is not a header name/],
    [[['X-Key', 'secret\r\nX: y']], /^(?!.*secret).*value of the header X-Key has a character/],
    [[['X-Key', 'ключ']], /value of the header X-Key has a character/],
    [[['Content-Length', '3']], /Content-Length is set by authcli/],
    [[['transfer-encoding', 'chunked']], /transfer-encoding is set by authcli/],
    [[['Connection', 'close']], /Connection is set by authcli/],
    [[['Expect', '100-continue']], /Expect is set by authcli/],
  ];
  for (const [headers, message] of cases) {
    it(`are refused: ${JSON.stringify(headers[0]?.[0])} ${message.source}`, () => {
      const make = () =>
        createTransport({ timeoutMs: 1, now: Date.now, ...secretOptions({ headers }) });
      assert.throws(make, { code: 'usage', message });
    });
  }
});
