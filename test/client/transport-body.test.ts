import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { assertFailure, bodyOf, sendOnce, type TestOptions } from '../support/client.ts';
import { okResponse, startFaultServer } from '../support/fault-server.ts';

async function fetchBody(body: string | Uint8Array, headers = '', options: TestOptions = {}) {
  const server = await startFaultServer(async (line) => {
    await line.request();
    line.send(okResponse(body, headers));
  });
  return sendOnce(server.url, options).finally(() => server.close());
}

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const json = '{"code":"0000","message":"성공"}';

describe('a Content-Encoding', () => {
  const codings: [string, Uint8Array][] = [
    ['gzip', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['GZIP', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['deflate', deflateRawSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', Buffer.from(json)],
    ['', Buffer.from(json)],
    ['gzip, br', brotliCompressSync(gzipSync(json))],
  ];
  for (const [coding, body] of codings) {
    it(`of ${coding || 'nothing'} is undone`, async () => {
      const exchange = await fetchBody(body, `content-encoding: ${coding}\r\n`);
      assert.equal(bodyOf(exchange), json);
      assert.equal(exchange.response?.encodedBodyBytes, body.length);
    });
  }

  it('that is not known is a wrong response, by its name', async () => {
    const exchange = await fetchBody('{}', 'content-encoding: zstd\r\n');
    assertFailure(exchange, 'not-json', /Content-Encoding "zstd", which authcli does not support/);
    assert.equal(exchange.partial?.status, 200);
  });

  it('of more codings than any server applies is a wrong response, and none is undone', async () => {
    const five = 'gzip, gzip, gzip, gzip, gzip';
    const body = gzipSync(gzipSync(gzipSync(gzipSync(gzipSync('{}')))));
    assert.equal(bodyOf(await fetchBody(body, `content-encoding: ${five}\r\n`)), '{}');
    const exchange = await fetchBody(gzipSync(body), `content-encoding: ${five}, gzip\r\n`);
    assertFailure(exchange, 'not-json', /lists 6 codings; authcli decodes 5 at most/);
  });

  it('that the body does not have is a wrong response', async () => {
    const exchange = await fetchBody(json, 'content-encoding: gzip\r\n');
    assertFailure(
      exchange,
      'not-json',
      /has Content-Encoding: gzip, and its body is not a complete/,
    );
  });

  it('of an empty body does no harm', async () => {
    assert.equal(bodyOf(await fetchBody('', 'content-encoding: gzip\r\n')), '');
  });
});

describe('the limit of the body', () => {
  it('lets a body of just that size through', async () => {
    const exchange = await fetchBody('x'.repeat(1000), '', { maxBodyBytes: 1000 });
    assert.equal(bodyOf(exchange).length, 1000);
  });

  it('refuses one that announces more, without reading it', async () => {
    const exchange = await fetchBody('x'.repeat(1001), '', { maxBodyBytes: 1000 });
    assertFailure(
      exchange,
      'body-too-large',
      /announces a body of 1001 bytes, more than the limit of 1000 bytes/,
    );
    assert.equal(exchange.partial?.status, 200);
  });

  it('refuses one that goes on without end', async () => {
    const server = await startFaultServer(async (line) => {
      await line.request();
      line.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
      const more = () => {
        while (!line.socket.destroyed && line.socket.write(chunk));
      };
      line.socket.on('drain', more);
      more();
    });
    try {
      const exchange = await sendOnce(server.url);
      assertFailure(exchange, 'body-too-large', /is larger than 1 MiB/);
      assert.equal(exchange.partial?.body.length, 1024 * 1024);
    } finally {
      await server.close();
    }
  });

  for (const [coding, bomb] of [
    ['gzip', gzipSync(Buffer.alloc(100 * 1024 * 1024))],
    ['deflate', deflateSync(Buffer.alloc(100 * 1024 * 1024))],
    ['br', brotliCompressSync(Buffer.alloc(100 * 1024 * 1024), fast)],
  ] as const) {
    it(`refuses a ${coding} bomb while it inflates`, async () => {
      const before = process.memoryUsage().rss;
      const exchange = await fetchBody(bomb, `content-encoding: ${coding}\r\n`);
      assertFailure(
        exchange,
        'body-too-large',
        new RegExp(`exceeds 1 MiB once its ${coding} is decoded`),
      );
      assert.ok(process.memoryUsage().rss - before < 50 * 1024 * 1024);
    });
  }
});
