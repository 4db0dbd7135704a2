import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTransport } from '../../src/client/transport.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import { AuthcliError } from '../../src/errors.ts';
import { makeCertificate } from '../support/certificates.ts';
import { assertFailure, bodyOf, post, sendOnce, withTransport } from '../support/client.ts';
import { start } from '../support/program.ts';
import { run } from '../support/run.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'a-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);
const url = new URL('http://app.test:8080/callback?a=1');

type Listener = (request: IncomingMessage, body: Buffer) => string | Promise<string>;

/** A server on a Unix socket, with TLS where asked for. */
async function serve(name: string, listener: Listener, tls?: { cert: string; key: string }) {
  const handle: Parameters<typeof createServer>[1] = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.setHeader('content-type', 'application/json;charset=utf-8');
    response.end(await listener(request, Buffer.concat(chunks)));
  };
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  await new Promise<void>((resolve) => server.listen(path(name), resolve));
  return () => new Promise<void>((resolve) => server.close(() => resolve()));
}

describe('a Unix socket', () => {
  it('is connected to whatever the URL names, with its Host, and kept', async () => {
    const peers = new Set<unknown>();
    const close = await serve('plain', ({ socket, headers, url: target }) => {
      peers.add(socket);
      return JSON.stringify([headers.host, target]);
    });
    const proxy = { http: 'http://127.0.0.1:1' };
    await withTransport({ unixSocket: path('plain'), proxy }, async (transport) => {
      for (let turn = 0; turn < 3; turn += 1) {
        const exchange = await transport.send(post(url));
        assert.equal(bodyOf(exchange), '["app.test:8080","/callback?a=1"]');
        assert.equal(exchange.timings.lookupMs, undefined);
      }
    });
    assert.equal(peers.size, 1);
    await close();
  });

  it('carries TLS, judged by the name in the URL', async () => {
    const identity = makeCertificate({ names: ['app.test'] });
    const close = await serve('tls', () => '{"tls":true}', identity);
    const options = { unixSocket: path('tls'), ca: identity.cert };
    assert.equal(bodyOf(await sendOnce(new URL('https://app.test/'), options)), '{"tls":true}');
    assertFailure(await sendOnce(new URL('https://b.test/'), options), 'tls-hostname', /b\.test/);
    assertFailure(await sendOnce(url, options), 'protocol-error', /TLS/);
    await close();
  });

  it('is distinguished from what is not a socket: nothing there, a file, a socket left behind', async () => {
    writeFileSync(path('file'), '');
    const program = `require('net').createServer().listen(${JSON.stringify(path('dead'))}, () => process.kill(process.pid, 'SIGKILL'))`;
    await start(process.execPath, ['-e', program]).ended;
    for (const [name, message] of [
      ['none', /^Unix socket not found: \S+none \(ENOENT\)\.$/],
      ['file', /^\S+file is not a Unix socket \(ENOTSOCK\)\.$/],
      ['dead', /^No process listens on the Unix socket \S+dead \(ECONNREFUSED\)\.$/],
    ] as const) {
      assertFailure(await sendOnce(url, { unixSocket: path(name) }), 'refused', message);
    }
  });

  it('has no longer path than the system takes', () => {
    const make = (unixSocket: string) =>
      createTransport({ timeoutMs: 1, now: Date.now, unixSocket });
    for (const bad of ['x'.repeat(104), 'ü'.repeat(52), 'a\0b']) {
      assert.throws(
        () => make(bad),
        (error) => error instanceof AuthcliError && /path of the Unix socket/.test(error.message),
      );
    }
    assert.doesNotThrow(() => make('x'.repeat(103)));
  });

  it('is as silent as any peer where it does not respond', async () => {
    const server = createSocketServer(() => {}).listen(path('silent'));
    const options = { unixSocket: path('silent'), timeoutMs: 100 };
    assertFailure(await sendOnce(url, options), 'timeout', /No response from app\.test:8080/);
    server.close();
  });
});

describe('--unix-socket', () => {
  const configFile = path('config.json');
  const environment = { now: Date.now, randomBytes: seededBytes('socket') };
  const application = createApplication({
    clientId: 'authcli-client',
    cipher: defaultCipher,
    environment,
  });
  const endpoint = ['--url', 'http://localhost/callback', '--unix-socket', path('app')];
  let close: () => Promise<void>;

  before(async () => {
    close = await serve('app', async ({ method = '', url: target = '', headers }, body) => {
      const kept = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      const request = { method, path: target, headers: Object.fromEntries(kept), body };
      return Buffer.from((await handleCallback(request, application)).response.body).toString();
    });
  });
  after(() => close());

  it('leads every command that sends', async () => {
    const brief = ['--check', 'key-exchange/answers-success'];
    const load = ['--signups', '3', '--workers', '1', '--concurrency', '1'];
    for (const argv of [['simulate-signup'], ['verify', ...brief], ['load', ...load], ['doctor']]) {
      const { status, stdout } = await run([...argv, ...endpoint, '--json'], { configFile });
      // A request that asks for nothing is not a callback, which the application says.
      assert.equal(status, 0, stdout);
    }
  });

  it('is in the line of --curl and in the command that repeats a check', async () => {
    const { stderr } = await run(['simulate-signup', ...endpoint, '--curl'], { configFile });
    assert.match(stderr, /^curl --request POST --unix-socket \S+app --header/m);
    application.faults.switchOn({ name: 'hex' });
    const check = ['--check', 'key-exchange/wraps-key'];
    const { stdout } = await run(['verify', ...check, ...endpoint, '--json'], { configFile });
    application.faults.switchOff();
    const failed = JSON.parse(stdout).checks.find(
      (each: { status: string }) => each.status === 'failed',
    );
    assert.match(failed.repeat.command, / --unix-socket \S+app/);
    assert.match(failed.repeat.curl, / --unix-socket \S+app/);
  });

  it('exits 3 where it is missing, and 2 where it is impossible', async () => {
    const argv = ['simulate-signup', '--url', 'http://localhost/', '--json', '--unix-socket'];
    const missing = await run([...argv, path('none')], { configFile });
    assert.equal(missing.status, 3);
    assert.equal(JSON.parse(missing.stdout).error.code, 'refused');
    const long = await run([...argv, path('x'.repeat(200))], { configFile });
    assert.equal(long.status, 2);
    assert.match(long.stdout, /The path of the Unix socket has \d+ bytes; it may have 103/);
  });
});
