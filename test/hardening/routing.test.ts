import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createUpstream } from '../../src/client/transport.ts';
import { jsonResponse } from '../../src/emulator/http.ts';
import { type RunningServer, startServer } from '../../src/emulator/server.ts';
import { toExchange } from '../../src/traffic/capture.ts';
import { startForwarder } from '../../src/traffic/forward.ts';
import { okResponse, startFaultServer, type TestServer } from '../support/fault-server.ts';
import { fixtureRows } from '../support/fixtures.ts';

/*
 * What a peer writes never decides where something is sent: not its target, its Host, nor another header.
 */

const host = 'Host: 127.0.0.1';

/** Nothing of these is for the server that gets them. */
const refused = fixtureRows<readonly [what: string, ...lines: string[]]>('requests-refused.jsonl');

/** What comes back for bytes, until the connection is closed. */
async function sent(port: number, text: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {}); // what is left unread resets it
  socket.write(Buffer.from(text, 'latin1'));
  socket.setTimeout(10_000, () => socket.destroy()); // where it is kept, against what is tested
  await once(socket, 'close');
  return received;
}

const asBytes = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;

describe('a relay behind a proxy', () => {
  let proxy: TestServer;
  let relay: RunningServer;
  before(async () => {
    proxy = await startFaultServer(async (line) => {
      await line.request();
      line.send(okResponse('{}'));
    });
    const http = `http://user:PW@127.0.0.1:${proxy.port}`;
    const now = () => performance.now();
    const url = new URL('http://shop.example/callback');
    const upstream = createUpstream(url, { timeoutMs: 5000, now, proxy: { http } });
    relay = await startForwarder({ host: '127.0.0.1', port: 0, upstream, now, onExchange() {} });
  });
  after(() => Promise.all([relay.close(), proxy.close()]));

  const trace = ['TRACE', 'TRACE /a HTTP/1.1', 'Host: a', 'Max-Forwards: 0'] as const;
  for (const [what, ...lines] of [...refused, trace]) {
    it(`refuses ${what} with 400, and sends nothing`, async () => {
      const count = proxy.received.length;
      assert.match(await sent(relay.port, asBytes(lines)), /^HTTP\/1\.1 400 /);
      assert.deepEqual(proxy.received.slice(count), []);
    });
  }

  type Request = readonly [what: string, ...lines: string[]];
  for (const [what, ...lines] of fixtureRows<Request>('requests-forwarded.jsonl')) {
    it(`forwards ${what} to the configured host`, async () => {
      assert.match(await sent(relay.port, asBytes(lines)), /^HTTP\/1\.1 200 /);
      const [, target = ''] = lines[0]?.split(' ') ?? [];
      const [first, ...headers] = proxy.received.at(-1)?.toString('latin1').split('\r\n') ?? [];
      assert.equal(first, `GET http://shop.example${target} HTTP/1.1`);
      const named = (name: RegExp) => headers.filter((line) => name.test(line));
      assert.deepEqual(named(/^host:/i), ['host: shop.example']);
      assert.deepEqual(named(/^proxy-authorization:/i), [
        `proxy-authorization: Basic ${Buffer.from('user:PW').toString('base64')}`,
      ]);
    });
  }
});

describe('a server of emulators, page and metrics', () => {
  let handled = 0;
  let server: RunningServer;
  before(async () => {
    server = await startServer({
      host: '127.0.0.1',
      port: 0,
      handle: async () => {
        handled += 1;
        return jsonResponse(200, Buffer.from('{}'));
      },
    });
  });
  after(() => server.close());

  for (const [what, ...lines] of refused) {
    it(`refuses ${what} with 400, and handles nothing`, async () => {
      const count = handled;
      assert.match(await sent(server.port, asBytes(lines)), /^HTTP\/1\.1 400 /);
      assert.equal(handled, count);
    });
  }

  it('handles nothing behind what it refuses', async () => {
    const count = handled;
    const good = asBytes(['GET / HTTP/1.1', host]);
    const bad = asBytes(['POST http://169.254.169.254/latest HTTP/1.1', host]);
    assert.match(await sent(server.port, good + bad + good + good), /^HTTP\/1\.1 200 .* 400 /s);
    assert.equal(handled, count + 1);
  });

  it('is the only one that speaks HTTP', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
    const servers = files.filter(
      (file) =>
        file.endsWith('.ts') &&
        /import (?!type)[^;]*createServer[^;]*'node:https?'|import\('node:https?'\)/.test(
          readFileSync(join('src', file), 'utf8'),
        ),
    );
    assert.deepEqual(servers, [join('emulator', 'server.ts')]);
  });
});

it('a path of a recording never names another host', () => {
  for (const target of ['//internal/x', '/\\internal/x', '/@internal/x']) {
    const request = { target, body: new Uint8Array() };
    const { url } = toExchange({ source: 'line 1', operation: 'other', request }).request;
    assert.equal(url.host, 'recorded.invalid');
  }
});

it('the requests of a connection are handled one after another, and no more are read meanwhile', async () => {
  let [handled, go] = [0, () => {}];
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    handle: async ({ body }) => {
      handled += 1;
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return jsonResponse(200, body.subarray(0, 2));
    },
  });
  const socket = connect({ host: '127.0.0.1', port: server.port });
  const size = 1_048_576;
  const request = `POST / HTTP/1.1\r\n${host}\r\nContent-Length: ${size}\r\n\r\n${'{}'.repeat(size / 2)}`;
  const count = 40;
  let written = 0;
  for (let each = 0; each < count; each += 1) socket.write(request, () => (written += 1));
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  for (let done = 1; done <= count; done += 1) {
    while (handled < done) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(handled, done);
    // what the system itself keeps of a connection on loopback is a few MiB
    assert.ok(written < done + 20, `${written} of ${count} written when ${done} are handled`);
    go();
  }
  while (text.split('{}').length <= count) await once(socket, 'data');
  socket.destroy();
  await server.close();
});
