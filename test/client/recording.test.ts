import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import type { Exchange, WireRequest, WireResponse } from '../../src/client/exchange.ts';
import { toCurl, toHar, toWireText } from '../../src/client/recording.ts';
import { Redactor } from '../../src/reports/redact.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';

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
  failure: { code: 'reset', message: 'It was closed.', hint: 'Look.', calls: {} },
  attempts: 2,
};

describe('toWireText', () => {
  it('shows both messages', () => {
    const lines = toWireText(exchange).split('\n');
    assert.equal(lines[0], 'POST /callback?a=1&b=%20x HTTP/1.1');
    assert.deepEqual(lines.slice(3, 7), [
      'Content-type: application/json;charset=utf-8',
      'content-length: 13',
      '',
      '{"name":"ü"}',
    ]);
    const response = ['HTTP/1.1 200 OK', 'Content-Type: application/json', 'Location: /x', ''];
    assert.deepEqual(lines.slice(7), ['', ...response, '{"code":"0000"}']);
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

  it('shows bytes that are not text in Base64', () => {
    const binary = { ...exchange, response: { ...response, body: Uint8Array.of(255, 0) } };
    assert.match(toWireText(binary), /\(2 bytes, in Base64\) \/wA=$/);
  });
});

describe('toHar', () => {
  it('is a HAR 1.2 document', () => {
    const { log } = toHar([exchange], { version: '1.2.3' });
    assert.equal(log.version, '1.2');
    assert.deepEqual(log.creator, { name: 'authcli', version: '1.2.3' });
    assert.deepEqual(log.entries[0], {
      startedDateTime: '2026-01-02T03:04:05.006Z',
      time: 21.5,
      request: {
        method: 'POST',
        url: 'https://app.test:8443/callback?a=1&b=%20x',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: request.headers.map(([name, value]) => ({ name, value })),
        queryString: [
          { name: 'a', value: '1' },
          { name: 'b', value: ' x' },
        ],
        postData: {
          mimeType: 'application/json;charset=utf-8',
          params: [],
          text: '{"name":"ü"}',
        },
        headersSize: -1,
        bodySize: 13,
      },
      response: {
        status: 200,
        statusText: 'OK',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: response.headers.map(([name, value]) => ({ name, value })),
        content: { size: 15, mimeType: 'application/json', text: '{"code":"0000"}' },
        redirectURL: '/x',
        headersSize: -1,
        bodySize: 11,
      },
      cache: {},
      timings: { blocked: 6.5, dns: 1, connect: 5, ssl: 3, send: 0, wait: 4, receive: 5 },
    });
  });

  it('has a failure as an entry of status 0 with a comment', () => {
    const [entry] = toHar([failed], { version: '1' }).log.entries;
    assert.equal(entry?.response.status, 0);
    assert.equal(entry?.comment, 'reset: It was closed.');
    assert.deepEqual(entry?.timings, {
      blocked: 8,
      dns: -1,
      connect: 2,
      ssl: -1,
      send: 0,
      wait: 0,
      receive: 0,
    });
  });

  it('has bytes that are not text in Base64, and says so', () => {
    const body = Uint8Array.of(255, 254);
    const binary = { ...exchange, request: { ...request, body }, response: { ...response, body } };
    const [entry] = toHar([binary], { version: '1' }).log.entries;
    const { postData } = (entry?.request ?? {}) as { postData?: object };
    assert.deepEqual(entry?.response.content, {
      size: 2,
      mimeType: 'application/json',
      text: '//4=',
      encoding: 'base64',
    });
    assert.deepEqual(postData, {
      mimeType: 'application/json;charset=utf-8',
      params: [],
      text: '//4=',
      _encoding: 'base64',
    });
  });

  it('gives times that sum up to the whole', () => {
    for (const { time, timings } of toHar([exchange, failed], { version: '1' }).log.entries) {
      const { ssl: _, ...parts } = timings;
      const sum = Object.values(parts).reduce((total, part) => total + Math.max(part, 0), 0);
      assert.equal(sum, time);
    }
  });
});

describe('toCurl', () => {
  it('is one line that sends the same', () => {
    assert.equal(
      toCurl(request),
      "curl --request POST --header 'Content-type: application/json;charset=utf-8' " +
        `--data-binary '{"name":"ü"}' 'https://app.test:8443/callback?a=1&b=%20x'`,
    );
  });

  const cases: [string, Partial<WireRequest>, RegExp][] = [
    ['another host header', { headers: [['host', 'b.test']] }, /--header 'host: b\.test'/],
    ['an empty header', { headers: [['X-Empty', '']] }, /--header 'X-Empty;'/],
    ['no content type', { headers: [] }, /--header Content-Type: /],
    ['a body that curl would take for a file', { body: Buffer.from('@x') }, /--data-raw @x /],
    [
      'line breaks',
      { body: Buffer.from("a'\n%\\") },
      /^printf 'a\\047\\012\\045\\134' \| curl .*--data-binary @-/,
    ],
    ['bytes that are not text', { body: Uint8Array.of(255, 0) }, /^printf '\\377\\000' \| curl/],
    [
      'no body',
      { method: 'GET', headers: [], body: new Uint8Array() },
      /^curl --request GET 'https/,
    ],
    ['brackets', { url: new URL('http://[::1]:80/a[1]') }, /--globoff .*http:\/\/\[::1\]\/a\[1\]/],
  ];
  for (const [name, changes, line] of cases) {
    it(`writes ${name}`, () => {
      assert.match(toCurl({ ...request, ...changes }), line);
    });
  }

  it('survives a POSIX shell, whatever the body and headers contain', () => {
    const body = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.string({ minLength: 1, unit: anyCharacter }).map((text) => Buffer.from(text)),
    );
    const value = fc.string({ maxLength: 20 });
    const cases = fc.sample(fc.tuple(body, value), { numRuns: 100, seed: 7 });
    const lines = cases.map(([bytes, text]) =>
      toCurl({
        ...request,
        headers: [
          ['X-Value', text],
          ['Content-Type', 'a/b'],
        ],
        body: bytes,
      }),
    );
    const curl = `curl() {
      body=
      while [ $# -gt 0 ]; do
        case $1 in
          --header) case $2 in X-Value*) printf '%s' "$2" | od -An -v -tx1 | tr -d ' \\n'; printf ' ';; esac; shift;;
          --data-binary) if [ "$2" = @- ]; then od -An -v -tx1 | tr -d ' \\n'; else printf '%s' "$2" | od -An -v -tx1 | tr -d ' \\n'; fi; shift;;
          --data-raw) printf '%s' "$2" | od -An -v -tx1 | tr -d ' \\n'; shift;;
        esac
        shift
      done
      echo
    }`;
    const { stdout, status, stderr } = spawnSync('sh', ['-s'], {
      input: [curl, ...lines].join('\n'),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const expected = cases.map(([bytes, text]) => {
      const header = text === '' ? 'X-Value;' : `X-Value: ${text}`;
      return `${Buffer.from(header).toString('hex')} ${Buffer.from(bytes).toString('hex')}`;
    });
    assert.deepEqual(stdout.trimEnd().split('\n'), expected);
  });
});
