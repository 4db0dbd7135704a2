import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { applicationCodes, serviceCodes } from '../../src/emulator/refusals.ts';
import { listen } from '../support/fault-server.ts';
import { startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { freshConfig, cli } = workspace();
const account = ['--client-id', 'shop', '--secret-key', 'a-secret-key-of-the-tests'];

async function signIn(authUrl: string, ...flags: readonly string[]) {
  const argv = ['signin', '--ptn-token', '-', '--auth-url', authUrl, ...account, ...flags];
  const result = await cli(argv, { stdin: 'a-token\n' });
  return { ...result, flat: result.stderr.replace(/\s+/g, ' ') };
}

/** A service that responds to everything with `body`. */
async function respondedWith(status: number, body: string, ...flags: readonly string[]) {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  const { url, close } = await listen(server, 'http');
  return signIn(url.origin, ...flags).finally(close);
}

async function refusedBy(...argv: readonly string[]) {
  const service = await startSide(['service', ...argv], { configFile: freshConfig() });
  return signIn(service.url).finally(() => service.stop());
}

describe('a refusal of the service', () => {
  it('leads to the code of the emulated service, and to nothing about servers', async () => {
    const { status, stderr, flat } = await refusedBy('--client-id', 'other');
    assert.equal(status, 1);
    assert.match(stderr, /refuses with E104: /);
    assert.ok(flat.includes(serviceCodes.client.fix), stderr);
    assert.match(stderr, /^next: +authcli explain E104$/m);
  });

  it('says once what its message says too', async () => {
    const { stderr } = await refusedBy(...account);
    assert.match(stderr, /refuses with E201: ptn_token was not issued for this client\.$/m);
  });

  it('leads to the documentation of a real service', async () => {
    for (const code of ['S-17', applicationCodes.undecryptable.code]) {
      const { flat } = await respondedWith(200, JSON.stringify({ code, message: 'denied' }));
      assert.ok(flat.includes(code), flat);
      assert.match(flat, /fix: Look up this code in the service's documentation/);
    }
  });

  const pages = [
    [404, '<html><title>Not Found</title></html>'],
    [500, 'Internal Server Error'],
    [200, ''],
    [200, '{"code":"0000","message":""}'],
  ] as const;
  for (const [status, body] of pages) {
    it(`leads to auth_url after status ${status} with ${body || 'nothing'}`, async () => {
      const { error } = JSON.parse((await respondedWith(status, body, '--json')).stdout);
      assert.match(error.hint, /^Check auth_url/);
      assert.deepEqual(error.calls, {});
    });
  }
});

describe('a refusal of the emulated application', () => {
  it('leads to its code, and invents no user who was given', async () => {
    const app = await startSide(['app', '--client-id', 'shop'], { configFile: freshConfig() });
    const argv = ['simulate-key-exchange', '--url', app.url, '--client-id', 'nope', '--no-save'];
    const run = cli([...argv, '--ptn-cd', 'alice']).finally(() => app.stop());
    const { status, stderr } = await run;
    assert.equal(status, 1);
    assert.match(stderr, /The emulated application refuses with A105: /);
    assert.ok(stderr.includes(`fix:   ${applicationCodes['foreign-client'].fix}\n`), stderr);
    assert.match(stderr, /^next: +authcli explain A105$/m);
    assert.doesNotMatch(stderr, /invented/);
  });
});
