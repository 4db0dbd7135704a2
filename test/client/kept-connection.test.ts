import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertFailure, bodyOf, post, withTransport } from '../support/client.ts';
import { listen, startFaultServer } from '../support/fault-server.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const go = 'HTTP/1.1 100 Continue\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const right = `${ok}content-length: 2\r\n\r\n{}`;
const chunks = '1\r\n{\r\n1;x=y\r\n}\r\n0\r\nt: v\r\n\r\n';
const gzip = gzipSync('{}');
const compressed = `${ok}content-encoding: gzip\r\ncontent-length: ${gzip.length}\r\n\r\n`;

/** Responses that are right, however they are written, and their bodies. */
const responses: [string, string | Buffer, body: string][] = [
  ['in chunks', `${ok}transfer-encoding: chunked\r\n\r\n${chunks}`, '{}'],
  ['behind an unsolicited 100 Continue', `${go}\r\n${right}`, '{}'],
  ['behind several', `${go}x: y\r\n\r\n${go}\r\n${hints}${right}`, '{}'],
  ['behind line ends', `\r\n\r\n${right}`, '{}'],
  ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
  ['of another status', right.replace('200 OK', '500 Oops'), '{}'],
  ['of a redirect', 'HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n', ''],
  ['compressed', Buffer.concat([Buffer.from(compressed), gzip]), '{}'],
];

describe('a response on a kept connection', () => {
  for (const [name, text, body] of responses) {
    for (const pieces of ['whole', 'byte by byte'] as const) {
      it(`${name}, ${pieces}, is read, and the connection used again`, async () => {
        const server = await startFaultServer(async (line) => {
          for (;;) {
            await line.request();
            const bytes = Buffer.from(text);
            if (pieces === 'whole') line.send(bytes);
            else for (const octet of bytes) await written(line, octet);
          }
        });
        await withTransport({}, async (transport) => {
          for (let turn = 0; turn < 2; turn += 1) {
            assert.equal(bodyOf(await transport.send(post(server.url))), body);
          }
          assert.equal(server.connections(), 1);
        }).finally(() => server.close());
      });
    }
  }

  it('of several reads comes whole, and stays what it was when the next one is read', async () => {
    const texts = ['a', 'b'].map((letter) => `"${letter.repeat(100_000)}"`);
    const server = await startFaultServer(async (line) => {
      for (const text of texts) {
        await line.request();
        line.send(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      }
    });
    await withTransport({}, async (transport) => {
      const one = await transport.send(post(server.url));
      const two = await transport.send(post(server.url));
      assert.deepEqual([bodyOf(one), bodyOf(two)], texts);
      assert.equal(server.connections(), 1);
    }).finally(() => server.close());
  });

  it('comes late to a request that has timed out, and belongs to no request', async () => {
    let late: ServerResponse | undefined;
    const server = createServer((_request, response) => {
      late?.end('{"call":1}');
      if (late !== undefined) response.end('{"call":2}');
      late ??= response;
    });
    const { url, close } = await listen(server, 'http');
    await withTransport({ timeoutMs: 2000 }, async (transport) => {
      assertFailure(await transport.send(post(url)), 'timeout', /within 2 s/);
      assert.equal(bodyOf(await transport.send(post(url))), '{"call":2}');
    }).finally(close);
  });
});

function written({ socket }: { socket: import('node:net').Socket }, octet: number): Promise<void> {
  return new Promise((resolve) => {
    socket.write(Uint8Array.of(octet), () => setImmediate(resolve));
  });
}
