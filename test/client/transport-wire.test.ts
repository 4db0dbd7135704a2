import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Headers, statusOf } from '../../src/client/exchange.ts';
import { toWireText } from '../../src/client/recording.ts';
import { createTransport } from '../../src/client/transport.ts';
import {
  carriesCredentials,
  credentialForms,
  secretsInMessage,
} from '../../src/protocol/secret-fields.ts';
import { bodyOf, exchangeWith, post, withTransport } from '../support/client.ts';
import { always, okResponse, startFaultServer } from '../support/fault-server.ts';

/** Sends a request, and gives it as the server received it. */
async function sent(
  headers: Headers,
  { body = '{"a":1}', search = '', own }: { body?: string; search?: string; own?: Headers } = {},
) {
  const server = await startFaultServer(always(okResponse('{}')));
  const request = post(new URL(`${server.url.href}${search}`), body);
  const exchange = await withTransport(own ? { headers: own } : {}, (transport) =>
    transport.send({ ...request, headers }),
  ).finally(() => server.close());
  const text = String(server.received[0]);
  return { exchange, text: text.replaceAll(`localhost:${server.port}`, 'HOST') };
}

describe('a request on the wire', () => {
  const type = ['Content-type', 'application/json;charset=utf-8'] as const;
  const start = 'POST /callback HTTP/1.1\r\nhost: HOST\r\nconnection: keep-alive\r\n';

  it('is what the interface says, byte for byte, also with an empty body', async () => {
    for (const [body, bytes] of [
      ['{"name":"김하늘"}', 20],
      ['', 0],
    ] as const) {
      const { text } = await sent([type], { body });
      const end = `content-length: ${bytes}\r\n\r\n${body}`;
      assert.equal(text, `${start}Content-type: application/json;charset=utf-8\r\n${end}`);
    }
  });

  it('is recorded as it was sent', async () => {
    const own = ['a', 'b'].map((value) => ['X-Tenant', value] as const);
    const { exchange, text } = await sent([type], { search: '?q=1&r=%20', own });
    const [request] = toWireText(exchange).split('\n\nHTTP/1.1');
    const { host } = exchange.request.url;
    assert.equal(request?.replaceAll(host, 'HOST'), text.replaceAll('\r\n', '\n'));
  });

  it('takes the headers of the user, which replace defaults of the same name in any case', async () => {
    const own = [
      ['CONTENT-TYPE', 'text/plain'],
      ['Host', 'other.example'],
    ] as const;
    const { text } = await sent([type], { own });
    assert.match(text, /^host: other\.example\r$/m);
    assert.match(text, /^CONTENT-TYPE: text\/plain\r$/m);
    assert.deepEqual(text.match(/^(?:content-type|host):/gim), ['host:', 'CONTENT-TYPE:']);
  });

  it('frames the message itself, whatever the request says', async () => {
    const { text } = await sent([
      ['Content-Length', '999'],
      ['connection', 'close'],
      ['X-A', 'b'],
    ]);
    assert.equal(text, `${start}X-A: b\r\ncontent-length: 7\r\n\r\n{"a":1}`);
  });
});

describe('a response', () => {
  it('keeps headers in their order, case and number, and is timed', async () => {
    const headers = 'X-Mixed-Case: Ünï\r\nset-cookie: a\r\nset-cookie: b\r\n';
    const { exchange } = await exchangeWith(always(okResponse('{"code":"0000"}', headers)));
    const { body: _, ...head } = exchange.response ?? {};
    assert.deepEqual(head, {
      httpVersion: 'HTTP/1.1',
      status: 200,
      statusText: 'OK',
      encodedBodyBytes: 15,
      headers: [
        ['content-type', 'application/json'],
        ['content-length', '15'],
        ['X-Mixed-Case', 'Ünï'],
        ['set-cookie', 'a'],
        ['set-cookie', 'b'],
      ],
    });
    assert.equal(exchange.attempts, 1);
    const parts = Object.keys(exchange.timings);
    assert.deepEqual(parts, ['lookupMs', 'connectMs', 'firstByteMs', 'bodyMs']);
  });

  it('of a redirect is returned, not followed', async () => {
    const redirect = 'HTTP/1.1 302 Moved\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n';
    const { exchange, server } = await exchangeWith(always(redirect));
    assert.deepEqual([statusOf(exchange), server.connections()], [302, 1]);
  });

  it('may come up to the end of the connection', async () => {
    for (const version of ['1.0', '1.1']) {
      const { exchange } = await exchangeWith(async (line) => {
        await line.request();
        line.socket.end(`HTTP/${version} 200 OK\r\n\r\n{"a"`);
      });
      assert.equal(bodyOf(exchange), '{"a"');
    }
  });
});

describe('headers that the user adds', () => {
  const cases: [name: string, value: string, RegExp][] = [
    ['X Y', 'a', /"X Y" is not a header name/],
    ['', 'a', /"" is not a header name/],
    ['X-Key', 'secret\r\nX: y', /^(?!.*secret).*value of the header X-Key has a character/],
    ['X-Key', 'ключ', /value of the header X-Key has a character/],
    ['Content-Length', '3', /Content-Length is set by authcli/],
    ['transfer-encoding', 'chunked', /transfer-encoding is set by authcli/],
  ];
  it('are refused where no request can carry them', () => {
    for (const [name, value, message] of cases) {
      const headers = [[name, value]] as const;
      const make = () => createTransport({ timeoutMs: 1, now: Date.now, headers });
      assert.throws(make, { code: 'usage', message });
    }
  });
});

describe('credentials in headers', () => {
  it('are in those that are named for them', () => {
    const named = ['Authorization', 'Set-Cookie', 'X-Api-Key', 'x-session', 'X-Hub-Signature-256'];
    const others = [':authority', 'WWW-Authenticate', 'X-Authcli-Check', 'Content-Type', 'Host'];
    assert.deepEqual([...named, ...others].filter(carriesCredentials), named);
  });

  const basic = `Basic ${Buffer.from('user:pass:word').toString('base64')}`;
  const values = [
    ['plain-value', 'plain-value'],
    ['Bearer abc', 'abc'],
    [basic, 'pass:word', basic.slice('Basic '.length)],
    ['theme=dark; sid=01234567', '01234567', 'theme=dark; sid=01234567'],
    ['sid="0123456789"; Path=/a/long/path; HttpOnly', '0123456789'],
  ] as const;
  it('are found in the value of a header', () => {
    for (const [value, ...parts] of values) {
      const forms = credentialForms(value);
      assert.equal(forms[0], value);
      for (const part of parts) assert.ok(forms.includes(part), part);
      assert.ok(!forms.includes('dark') && !forms.includes('/a/long/path'));
    }
  });

  it('of a peer are not what occurs everywhere by chance', () => {
    const headers = { 'X-Auth-Version': '2', Accept: 'application/json', 'X-Key': '123456' };
    const message = { headers: Object.entries(headers), body: Buffer.from('') };
    assert.deepEqual(secretsInMessage(message), ['123456', '123456']);
  });
});
