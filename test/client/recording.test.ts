import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Exchange, Headers, WireRequest, WireResponse } from '../../src/client/exchange.ts';
import { toCurl, toHar, toWireText } from '../../src/client/recording.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import { Redactor } from '../../src/reports/redact.ts';

const request: WireRequest = {
  method: 'POST',
  url: new URL('https://app.test:8443/callback?a=1&b=%20x'),
  headers: [
    ['host', 'app.test:8443'],
    ['connection', 'keep-alive'],
    ['Content-type', 'application/json;charset=utf-8'],
    ['content-length', '13'],
  ],
  body: Buffer.from('{"name":"ü"}'),
};

const response: WireResponse = {
  status: 200,
  statusText: 'OK',
  httpVersion: 'HTTP/1.1',
  headers: [
    ['Content-Type', 'application/json'],
    ['Location', '/x'],
  ],
  body: Buffer.from('{"code":"0000"}'),
  encodedBodyBytes: 11,
};

const exchange: Exchange = {
  request,
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  durationMs: 21.5,
  timings: { lookupMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4, bodyMs: 5 },
  response,
  attempts: 1,
};

const failed: Exchange = {
  request,
  startedAt: exchange.startedAt,
  durationMs: 10,
  timings: { connectMs: 2 },
  failure: diagnosis('reset', 'It was closed.', 'Look.'),
  attempts: 2,
};

describe('toWireText', () => {
  it('shows both messages', () => {
    assert.deepEqual(toWireText(exchange).split('\n'), [
      'POST /callback?a=1&b=%20x HTTP/1.1',
      'host: app.test:8443',
      'connection: keep-alive',
      'Content-type: application/json;charset=utf-8',
      'content-length: 13',
      ...['', '{"name":"ü"}', ''],
      ...['HTTP/1.1 200 OK', 'Content-Type: application/json', 'Location: /x'],
      ...['', '{"code":"0000"}'],
    ]);
  });

  it('says why there is no response, and what there was of one', () => {
    assert.match(toWireText(failed), /\n\n\(reset: It was closed\.\)$/);
    const partial = { ...response, body: new Uint8Array() };
    assert.match(toWireText({ ...failed, partial }), /\n\nHTTP\/1\.1 200 OK\n.*\n.*\n\n\(reset: /);
  });

  it('marks a body that was cut off, so that the beginning of a secret at its end is hidden', () => {
    const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
    const redactor = new Redactor();
    redactor.add(key);
    const partial = { ...response, body: Buffer.from(`{"key":"${key.slice(0, 28)}`) };
    const shown = redactor.text(toWireText({ ...failed, partial }));
    assert.match(shown, /\{"key":"\[redacted\]…\n\n\(reset/);
    const har = JSON.stringify(redactor.json(toHar([{ ...failed, partial }], { version: '1' })));
    assert.ok(!har.includes(key.slice(0, 8)) && har.includes('[redacted]…'), har);
  });
});

describe('toHar', () => {
  it('is a HAR 1.2 document', () => {
    const { log } = toHar([exchange], { version: '1.2.3' });
    assert.equal(log.version, '1.2');
    assert.deepEqual(log.creator, { name: 'authcli', version: '1.2.3' });
    const [mimeType, sent] = ['application/json', 'application/json;charset=utf-8'];
    const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
    const pairs = (headers: Headers) => headers.map(([name, value]) => ({ name, value }));
    assert.deepEqual(log.entries[0], {
      startedDateTime: '2026-01-02T03:04:05.006Z',
      time: 21.5,
      request: {
        ...common,
        method: 'POST',
        url: 'https://app.test:8443/callback?a=1&b=%20x',
        headers: pairs(request.headers),
        queryString: pairs(Object.entries({ a: '1', b: ' x' })),
        postData: { mimeType: sent, params: [], text: '{"name":"ü"}' },
        bodySize: 13,
      },
      response: {
        ...common,
        status: 200,
        statusText: 'OK',
        headers: pairs(response.headers),
        content: { size: 15, mimeType, text: '{"code":"0000"}' },
        redirectURL: '/x',
        bodySize: 11,
      },
      cache: {},
      // they sum up to the whole, ssl being a part of connect
      timings: { blocked: 6.5, dns: 1, connect: 5, ssl: 3, send: 0, wait: 4, receive: 5 },
    });
  });

  it('has a failure as an entry of status 0 with a comment, and bytes in Base64', () => {
    const body = Uint8Array.of(255, 254);
    const { log } = toHar([{ ...failed, request: { ...request, body } }], { version: '1' });
    const [entry] = log.entries;
    assert.deepEqual([entry?.response.status, entry?.comment], [0, 'reset: It was closed.']);
    const timings = { blocked: 8, dns: -1, connect: 2, ssl: -1, send: 0, wait: 0, receive: 0 };
    assert.deepEqual(entry?.timings, timings);
    const mimeType = 'application/json;charset=utf-8';
    const postData = { mimeType, params: [], text: '//4=', _encoding: 'base64' };
    assert.deepEqual(entry?.request.postData, postData);
  });
});

describe('toCurl', () => {
  const escaped = /^printf 'a\\047\\012\\045\\134' \| curl .*--data-binary @-/;
  const bracketed = new URL('http://[::1]:80/a[1]');
  const nothing = { method: 'GET', headers: [], body: new Uint8Array() };
  const cases: [Partial<WireRequest>, RegExp][] = [
    [{ headers: [['host', 'b.test']] }, /--header 'host: b\.test'/],
    [{ headers: [['X-Empty', '']] }, /--header 'X-Empty;'/],
    [{ headers: [] }, /--header Content-Type: /],
    [{ body: Buffer.from('@x') }, /--data-raw @x /],
    [{ body: Buffer.from("a'\n%\\") }, escaped],
    [{ body: Uint8Array.of(255, 0) }, /^printf '\\377\\000' \| curl/],
    [nothing, /^curl --request GET 'https/],
    [{ url: bracketed }, /--globoff .*http:\/\/\[::1\]\/a\[1\]/],
  ];
  it('writes what curl or a shell would read otherwise', () => {
    for (const [changes, line] of cases) assert.match(toCurl({ ...request, ...changes }), line);
  });
});
