import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { LeanConnection } from '../../src/client/lean-connection.ts';
import { type LeanOptions, prepareLeanConnections } from '../../src/client/lean-pool.ts';
import { type PlainOptions, secretOptions } from '../../src/client/transport-options.ts';
import { assertFailure, bodyOf, sendOnce } from '../support/client.ts';
import { listen, okAnswer, startFaultServer } from '../support/fault-server.ts';
import { wireFaults } from '../support/wire-faults.ts';

const body = '{"a":1}';

async function withConnection<T>(
  url: URL,
  options: PlainOptions<Partial<LeanOptions>>,
  use: (connection: LeanConnection) => Promise<T>,
): Promise<T> {
  const connect = prepareLeanConnections({
    timeoutMs: 5000,
    now: Date.now,
    ...secretOptions(options),
  });
  const connection = connect(url);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

describe('a fault of the peer, on a lean connection', () => {
  for (const { name, serve, code, message, options, status } of wireFaults) {
    it(`${name}: ${code}`, async () => {
      const server = await startFaultServer(serve);
      try {
        const { timeoutMs = 5000 } = options ?? {};
        await withConnection(server.url, { timeoutMs }, async (connection) => {
          const reply = await connection.post(body);
          assert.equal(reply.plainBody, undefined);
          const exchange = await reply.exchange();
          assertFailure(exchange, code, message);
          assert.equal(exchange.partial?.status, status);
        });
      } finally {
        await server.close();
      }
    });
  }

  it('nothing listens: refused', async () => {
    const url = new URL('http://127.0.0.1:9/');
    await withConnection(url, {}, async (connection) => {
      assertFailure(await (await connection.post(body)).exchange(), 'refused', /127\.0\.0\.1:9/);
    });
  });
});

/** Answers that are right, however they are written, and what is plain of them. */
const answers: Readonly<
  Record<string, { readonly text: string | Buffer; readonly plain: boolean }>
> = {
  'with its length': { text: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}', plain: true },
  'in chunks': {
    text: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\nt: v\r\n\r\n',
    plain: true,
  },
  'behind an informational one': {
    text: 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
    plain: true,
  },
  'behind line ends': {
    text: '\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
    plain: true,
  },
  'without a body': { text: 'HTTP/1.1 204 No Content\r\n\r\n', plain: true },
  'of another status': { text: 'HTTP/1.1 500 Oops\r\ncontent-length: 2\r\n\r\n{}', plain: false },
  'of a redirect': {
    text: 'HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n',
    plain: false,
  },
  compressed: {
    text: Buffer.concat([
      Buffer.from(
        `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${gzipSync('{}').length}\r\n\r\n`,
      ),
      gzipSync('{}'),
    ]),
    plain: false,
  },
};

describe('an answer on a lean connection', () => {
  for (const [name, { text, plain }] of Object.entries(answers)) {
    for (const pieces of ['whole', 'byte by byte'] as const) {
      it(`${name}, ${pieces}, is what a transport reads`, async () => {
        const server = await startFaultServer(async (line) => {
          for (;;) {
            await line.request();
            const bytes = Buffer.from(text);
            if (pieces === 'whole') line.send(bytes);
            else for (const octet of bytes) await written(line, octet);
          }
        });
        try {
          const wanted = await sendOnce(server.url);
          await withConnection(server.url, {}, async (connection) => {
            for (let turn = 0; turn < 2; turn += 1) {
              const reply = await connection.post(body);
              const exchange = await reply.exchange();
              assert.equal(bodyOf(exchange), bodyOf(wanted));
              assert.equal(exchange.answer?.status, wanted.answer?.status);
              assert.deepEqual(exchange.answer?.headers, wanted.answer?.headers);
              assert.equal(reply.plainBody !== undefined, plain);
            }
          });
          assert.equal(server.connections(), 2);
        } finally {
          await server.close();
        }
      });
    }
  }

  it('that ends with the connection is read to its end, and the next request gets a new one', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.socket.end('HTTP/1.0 200 OK\r\n\r\n{}');
    });
    await withConnection(server.url, {}, async (connection) => {
      for (let turn = 0; turn < 2; turn += 1) {
        assert.equal(String((await connection.post(body)).plainBody), '{}');
      }
      assert.equal(server.connections(), 2);
    }).finally(() => server.close());
  });

  it('of several reads comes whole, and stays what it was when the next one is read', async () => {
    const texts = ['a', 'b'].map((letter) => `"${letter.repeat(100_000)}"`);
    const server = await startFaultServer(async (line) => {
      for (const text of texts) {
        await line.request();
        line.send(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      }
    });
    await withConnection(server.url, {}, async (connection) => {
      const one = await (await connection.post(body)).exchange();
      const two = await (await connection.post(body)).exchange();
      assert.deepEqual([bodyOf(one), bodyOf(two)], texts);
      assert.equal(server.connections(), 1);
    }).finally(() => server.close());
  });

  it('comes to a request whose text is not ASCII', async () => {
    const text = '{"name":"김철수 Zoë"}';
    const server = await startFaultServer(async (line) => {
      const { body: received } = await line.request();
      assert.equal(received.toString(), text);
      line.send('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
    await withConnection(server.url, {}, async (connection) => {
      assert.equal(String((await connection.post(text)).plainBody), '{}');
    }).finally(() => server.close());
  });

  it('that is too large is refused, announced or not', async () => {
    for (const head of ['content-length: 100', 'transfer-encoding: chunked']) {
      const server = await startFaultServer(async (line) => {
        await line.request();
        line.send(
          `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${head.includes('100') ? '' : '64\r\n'}${'x'.repeat(100)}`,
        );
      });
      await withConnection(server.url, { maxBodyBytes: 50 }, async (connection) => {
        assertFailure(await (await connection.post(body)).exchange(), 'body-too-large', /50 bytes/);
      }).finally(() => server.close());
    }
  });
});

describe('a lean connection', () => {
  it('sends what a transport sends', async () => {
    const seen: string[] = [];
    const server = await startFaultServer(async (line) => {
      const { head, body: sent } = await line.request();
      seen.push(`${head}\n${sent.toString()}`);
      line.send(okAnswer('{}'));
    });
    const headers = [
      ['X-Api-Key', 'abc'],
      ['content-type', 'text/plain'],
    ] as const;
    await sendOnce(server.url, { headers });
    await withConnection(server.url, { headers }, (connection) => connection.post(body));
    await server.close();
    assert.equal(seen[1], seen[0]);
  });

  it('is made anew where the peer closes it as it is used, and while it is idle', async () => {
    for (const patience of [0, 20]) {
      const server = await startFaultServer(async (line) => {
        await line.request();
        line.send(okAnswer('{}'));
        if (patience > 0) line.socket.end();
        else await line.request();
        line.socket.destroy();
      });
      await withConnection(server.url, {}, async (connection) => {
        for (let turn = 0; turn < 3; turn += 1) {
          assert.equal(String((await connection.post(body)).plainBody), '{}');
          await new Promise((resolve) => setTimeout(resolve, patience));
        }
        assert.equal(server.connections(), 3);
      }).finally(() => server.close());
    }
  });

  it('works on after a time-out, and a late answer is nobody’s', async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      setTimeout(() => response.end(`{"call":${calls}}`), calls === 1 ? 150 : 0);
    });
    const { url, close } = await listen(server, 'http');
    await withConnection(url, { timeoutMs: 80 }, async (connection) => {
      const first = await connection.post(body);
      assertFailure(await first.exchange(), 'timeout', /within 80 ms/);
      assert.equal(String((await connection.post(body)).plainBody), '{"call":2}');
    }).finally(close);
  });

  it('is closed for good', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send(okAnswer('{}'));
    });
    await withConnection(server.url, {}, (connection) => connection.post(body));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(server.connections(), 1);
    await server.close();
  });
});

function written({ socket }: { socket: import('node:net').Socket }, octet: number): Promise<void> {
  return new Promise((resolve) => {
    socket.write(Uint8Array.of(octet), () => setImmediate(resolve));
  });
}
