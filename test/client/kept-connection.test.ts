import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertFailure, bodyOf, post, withTransport } from '../support/client.ts';
import { listen, startFaultServer } from '../support/fault-server.ts';

const compressed = gzipSync('{}');

/** Responses that are right, however they are written, and their bodies. */
const responses: Readonly<
  Record<string, { readonly text: string | Buffer; readonly body: string }>
> = {
  'with its length': { text: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}', body: '{}' },
  'in chunks': {
    text: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\nt: v\r\n\r\n',
    body: '{}',
  },
  'behind an informational one': {
    text: 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
    body: '{}',
  },
  'behind an unsolicited 100 Continue': {
    text: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
    body: '{}',
  },
  'behind several informational ones': {
    text: 'HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
    body: '{}',
  },
  'behind line ends': {
    text: '\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
    body: '{}',
  },
  'without a body': { text: 'HTTP/1.1 204 No Content\r\n\r\n', body: '' },
  'of another status': { text: 'HTTP/1.1 500 Oops\r\ncontent-length: 2\r\n\r\n{}', body: '{}' },
  'of a redirect': {
    text: 'HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n',
    body: '',
  },
  compressed: {
    text: Buffer.concat([
      Buffer.from(
        `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${compressed.length}\r\n\r\n`,
      ),
      compressed,
    ]),
    body: '{}',
  },
};

describe('a response on a kept connection', () => {
  for (const [name, { text, body }] of Object.entries(responses)) {
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
