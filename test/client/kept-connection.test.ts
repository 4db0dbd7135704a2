import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Exchange } from '../../src/client/exchange.ts';
import type { TransportOptions } from '../../src/client/transport-options.ts';
import { assertFailure, bodyOf, pass, post, withTransport } from '../support/client.ts';
import { always, type Line, okResponse, startFaultServer } from '../support/fault-server.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const go = 'HTTP/1.1 100 Continue\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const right = `${ok}content-length: 2\r\n\r\n{}`;
const chunks = '1\r\n{\r\n1;x=y\r\n}\r\n0\r\nt: v\r\n\r\n';
const gzip = gzipSync('{}');
const compressed = `${ok}content-encoding: gzip\r\ncontent-length: ${gzip.length}\r\n\r\n`;

/** Sends requests one after another, and counts the connections of the server. */
async function sendInTurn(
  serve: (line: Line) => void | Promise<void>,
  count: number,
  options: Partial<TransportOptions> = {},
) {
  const server = await startFaultServer(serve);
  const exchanges: Exchange[] = [];
  await withTransport(options, async (transport) => {
    while (exchanges.length < count) exchanges.push(await transport.send(post(server.url)));
  }).finally(() => server.close());
  return { exchanges, connections: server.connections() };
}

/** Responses that are right, however they are written, and their bodies. */
const responses: [string, string | Buffer, body?: string][] = [
  ['in chunks', `${ok}transfer-encoding: chunked\r\n\r\n${chunks}`],
  ['behind an unsolicited 100 Continue', `${go}\r\n${right}`],
  ['behind several', `${go}x: y\r\n\r\n${go}\r\n${hints}${right}`],
  ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
  ['compressed', Buffer.concat([Buffer.from(compressed), gzip])],
];

async function writeByteByByte(socket: Socket, bytes: Buffer): Promise<void> {
  for (const octet of bytes) {
    socket.write(Uint8Array.of(octet));
    await setImmediate();
  }
}

describe('a kept connection', () => {
  for (const [name, text, body = '{}'] of responses) {
    it(`carries a response ${name}, whole and byte by byte, and is used again`, async () => {
      const { exchanges, connections } = await sendInTurn(async (line) => {
        await line.request();
        line.send(text);
        await line.request();
        await writeByteByByte(line.socket, Buffer.from(text));
      }, 2);
      assert.deepEqual([...exchanges.map(bodyOf), connections], [body, body, 1]);
    });
  }

  it('carries one request at a time: others get connections of their own', async () => {
    const server = await startFaultServer(always(okResponse('{}')));
    await withTransport({}, async (transport) => {
      await Promise.all([1, 2, 3].map(() => transport.send(post(server.url))));
      await Promise.all([1, 2, 3].map(() => transport.send(post(server.url))));
    }).finally(() => server.close());
    assert.equal(server.connections(), 3);
  });

  it('is replaced, uncounted, where the peer closes it as it is used', async () => {
    const { exchanges, connections } = await sendInTurn(async (line) => {
      await line.request();
      line.send(okResponse('{}'));
      await line.request();
      line.socket.destroy();
    }, 3);
    assert.deepEqual(exchanges.map(bodyOf), ['{}', '{}', '{}']);
    assert.deepEqual([...exchanges.map(({ attempts }) => attempts), connections], [1, 1, 1, 3]);
  });

  it('is not replaced once a byte of the response has come', async () => {
    const { exchanges, connections } = await sendInTurn(async (line) => {
      await line.request();
      line.send(okResponse('{}'));
      await line.request();
      line.send('HTTP');
      setTimeout(() => line.socket.destroy(), 20);
    }, 2);
    assertFailure(exchanges[1], 'reset', /without a response/);
    assert.equal(connections, 1);
  });

  it('is given up with a request that timed out, whose response belongs to no other', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let late: Line | undefined;
    const serve = async (line: Line) => {
      await line.request();
      late?.send(okResponse('{"call":1}'));
      if (late !== undefined) return line.send(okResponse('{"call":2}'));
      late = line;
      await pass(mock.timers, 2000);
    };
    const { exchanges } = await sendInTurn(serve, 2, { timeoutMs: 2000 });
    assertFailure(exchanges[0], 'timeout', /within 2 s/);
    assert.equal(bodyOf(exchanges[1] as Exchange), '{"call":2}');
  });
});
