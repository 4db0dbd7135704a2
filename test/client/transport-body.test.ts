import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { assertFailure, bodyOf, exchangeWith } from '../support/client.ts';
import { always, okResponse } from '../support/fault-server.ts';

async function fetchBody(body: string | Uint8Array, coding?: string) {
  const header = coding === undefined ? '' : `content-encoding: ${coding}\r\n`;
  return (await exchangeWith(always(okResponse(body, header)))).exchange;
}

const json = '{"code":"0000","message":"성공"}';

describe('a Content-Encoding', () => {
  const codings: [string, Uint8Array][] = [
    ['x-gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['deflate', deflateRawSync(json)],
    ['identity', Buffer.from(json)],
    ['gzip, br', brotliCompressSync(gzipSync(json))],
  ];
  it('is undone, and of an empty body does no harm', async () => {
    for (const [coding, body] of codings) {
      const exchange = await fetchBody(body, coding);
      assert.equal(bodyOf(exchange), json, coding);
      assert.equal(exchange.response?.encodedBodyBytes, body.length);
    }
    assert.equal(bodyOf(await fetchBody('', 'gzip')), '');
  });

  const five = 'gzip, gzip, gzip, gzip, gzip';
  const fiveTimes = gzipSync(gzipSync(gzipSync(gzipSync(gzipSync('{}')))));
  const wrong: [string, string | Uint8Array, RegExp][] = [
    ['zstd', '{}', /Content-Encoding "zstd", which authcli does not support/],
    ['gzip', json, /has Content-Encoding: gzip, and its body is not a complete/],
    [`${five}, gzip`, gzipSync(fiveTimes), /lists 6 codings; authcli decodes 5 at most/],
  ];
  it('is a wrong response where it can not be undone', async () => {
    for (const [coding, body, message] of wrong) {
      const exchange = await fetchBody(body, coding);
      assertFailure(exchange, 'not-json', message);
      assert.equal(exchange.partial?.status, 200);
    }
  });

  it('of as many codings as are decoded is undone', async () => {
    assert.equal(bodyOf(await fetchBody(fiveTimes, five)), '{}');
  });
});

describe('the limit of the body', () => {
  const most = 1024 * 1024;

  it('lets a body of just that size through, and refuses one that announces more', async () => {
    const exchange = await fetchBody('x'.repeat(most));
    assert.equal(bodyOf(exchange).length, most);
    const larger = await fetchBody('x'.repeat(most + 1));
    const message = /announces a body of 1048577 bytes, more than the limit of 1 MiB/;
    assertFailure(larger, 'body-too-large', message);
    assert.equal(larger.partial?.status, 200);
  });

  it('refuses one that goes on without end, of 1 MiB by default', async () => {
    const { exchange } = await exchangeWith(async (line) => {
      await line.request();
      line.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
      const more = () => {
        while (!line.socket.destroyed && line.socket.write(chunk));
      };
      line.socket.on('drain', more);
      more();
    });
    assertFailure(exchange, 'body-too-large', /is larger than 1 MiB/);
    assert.equal(exchange.partial?.body.length, 1024 * 1024);
  });

  it('refuses a bomb while it inflates', async () => {
    const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    const bomb = brotliCompressSync(Buffer.alloc(100 * 1024 * 1024), fast);
    const before = process.memoryUsage().rss;
    const exchange = await fetchBody(bomb, 'br');
    assertFailure(exchange, 'body-too-large', /exceeds 1 MiB once its br is decoded/);
    assert.ok(process.memoryUsage().rss - before < 50 * 1024 * 1024);
  });
});
