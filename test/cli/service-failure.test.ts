import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { applicationCodes, serviceCodes } from '../../src/emulator/refusals.ts';
import { listen } from '../support/fault-server.ts';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-service-failure-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const environment = { configFile: join(folder, 'config.json') };
const account = ['--client-id', 'shop', '--secret-key', 'a-secret-key-of-the-tests'];

function signIn(authUrl: string, flags: readonly string[] = []) {
  const argv = ['signin', '--ptn-token', '-', '--auth-url', authUrl, ...account, ...flags];
  return run(argv, { ...environment, stdin: 'a-token\n' });
}

/** A service that responds to everything with `body`. */
async function respondedWith(status: number, body: string, flags: readonly string[] = []) {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  const { url, close } = await listen(server, 'http');
  return signIn(url.origin, flags).finally(close);
}

describe('a refusal of the service', () => {
  it('leads to the code of the emulated service, and to nothing about servers', async () => {
    const service = await startSide(['service', '--client-id', 'other'], {
      configFile: '/dev/null',
    });
    const { status, stderr } = await signIn(service.url).finally(() => service.stop());
    assert.equal(status, 1);
    assert.match(stderr, /refuses with E104: /);
    assert.ok(stderr.replace(/\s+/g, ' ').includes(serviceCodes.client.fix), stderr);
    assert.match(stderr, /^next: +authcli explain E104$/m);
  });

  it('says once what its message says too', async () => {
    const service = await startSide(['service', ...account], { configFile: '/dev/null' });
    const { stderr } = await signIn(service.url).finally(() => service.stop());
    assert.match(stderr, /refuses with E201: ptn_token was not issued for this client\.$/m);
  });

  it('leads to the documentation of a real service', async () => {
    const { stderr } = await respondedWith(200, '{"code":"S-17","message":"denied"}');
    assert.match(stderr, /S-17/);
    assert.match(
      stderr.replace(/\s+/g, ' '),
      /fix: Look up this code in the service's documentation/,
    );
    const other = await respondedWith(
      200,
      `{"code":"${applicationCodes.undecryptable.code}","message":""}`,
    );
    assert.match(other.stderr.replace(/\s+/g, ' '), /service's documentation/);
  });

  const pages = [
    [404, '<html><title>Not Found</title></html>'],
    [500, 'Internal Server Error'],
    [502, '<html><title>502 Bad Gateway</title></html>'],
    [200, ''],
    [200, '{"code":"0000","message":""}'],
  ] as const;
  for (const [status, body] of pages) {
    it(`leads to auth_url after status ${status} with ${body || 'nothing'}`, async () => {
      const { stdout } = await respondedWith(status, body, ['--json']);
      const { error } = JSON.parse(stdout);
      assert.match(error.hint, /^Check auth_url/);
      assert.deepEqual(error.calls, {});
    });
  }
});

describe('a refusal of the emulated application', () => {
  it('leads to its code, and invents no user who was given', async () => {
    const app = await startSide(['app', '--client-id', 'shop'], { configFile: '/dev/null' });
    const argv = ['simulate-key-exchange', '--url', app.url, '--client-id', 'nope', '--no-save'];
    const { status, stderr } = await run([...argv, '--ptn-cd', 'alice'], environment).finally(() =>
      app.stop(),
    );
    assert.equal(status, 1);
    assert.match(stderr, /The emulated application refuses with A105: /);
    assert.ok(stderr.includes(`fix:   ${applicationCodes['foreign-client'].fix}\n`), stderr);
    assert.match(stderr, /^next: +authcli explain A105$/m);
    assert.doesNotMatch(stderr, /invented/);
  });
});
