import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { allowedHost, limitedTransport, refuseHost } from '../../../src/cli/mcp/limits.ts';
import { post } from '../../support/client.ts';
import { memoryTransport } from '../../support/memory-transport.ts';
import { run } from '../../support/run.ts';
import { connectAgent } from './client.ts';

const key = 'kQ8vR2mXw7ZtB4nLp9cYd6sFh3gJa5uE';

describe('what an agent may reach', () => {
  it('is loopback and the hosts of --allow-host', () => {
    const reaches = (url: string, ...hosts: string[]): boolean => {
      try {
        refuseHost(new URL(url), { hosts: hosts.map(allowedHost) });
        return true;
      } catch {
        return false;
      }
    };
    for (const url of ['http://127.0.0.1:8080/', 'https://localhost/', 'http://[::1]:1/']) {
      assert.ok(reaches(url), url);
    }
    for (const url of [
      'http://example.com/',
      'http://127.0.0.1.example.com/',
      'http://localhost@example.com/',
      'http://169.254.169.254/',
      'http://0.0.0.0/',
      'http://[::ffff:10.0.0.1]/',
    ]) {
      assert.ok(!reaches(url, 'app.test'), url);
    }
    assert.ok(reaches('https://app.test/x', 'APP.test'));
    assert.ok(reaches('https://app.test:8443/x', 'app.test'));
    assert.ok(reaches('https://app.test/', 'app.test:443'));
    assert.ok(reaches('http://app.test/', 'app.test:80'));
    assert.ok(!reaches('http://app.test/', 'app.test:443'));
    assert.ok(!reaches('http://sub.app.test/', 'app.test'));
    for (const text of [
      'http://app.test',
      'app.test/path',
      'user@app.test',
      '*.app.test',
      'app.test/',
      '',
    ]) {
      assert.throws(() => allowedHost(text), /is not a host/);
    }
  });

  it('leaves to the caller whether a request has a new connection', async () => {
    const kinds: unknown[] = [];
    const memory = memoryTransport(() => ({ json: {} }));
    const send: typeof memory.send = (request, connection) => {
      kinds.push(connection);
      return memory.send(request);
    };
    const open = limitedTransport(async () => ({ ...memory, send }), { hosts: [] });
    const transport = await open({ timeoutMs: 60_000, now: () => 0 });
    const request = post(new URL('http://127.0.0.1:8080/'));
    for (const kind of ['fresh', 'kept'] as const) await transport.send(request, kind);
    assert.deepEqual(kinds, ['fresh', 'kept']);
  });

  it('is the same for addresses of the profile', async (context) => {
    const { call, folder } = await connectAgent(context);
    const configFile = join(folder, 'config', 'config.json');
    await run(['config', 'set', 'url', 'http://app.test/callback'], { configFile });
    await run(['config', 'set', 'auth-url', 'http://auth.test'], { configFile });
    for (const [tool, host] of [
      ['verify', 'app.test'],
      ['simulate_signup', 'app.test'],
      ['cipher_probe', 'app.test'],
    ] as const) {
      const { isError, text } = await call(tool);
      assert.equal(isError, true, tool);
      assert.match(text, new RegExp(`not "${host}"[^]*--allow-host ${host}`));
    }
    const given = { ptn_token: 't', client_id: 'c', secret_key: 's' };
    assert.match((await call('signin', given)).text, /not "auth\.test"/);
  });

  it('is no file but those in the folders of --allow-dir, also through links', async (context) => {
    const { call, folder } = await connectAgent(context, {
      args: ['--allow-dir', 'logs'],
      prepare: (home) => {
        mkdirSync(join(home, 'logs'));
        writeFileSync(join(home, 'secret.pem'), 'secret');
        writeFileSync(join(home, 'logs', 'key'), key, { mode: 0o600 });
        symlinkSync(join(home, 'secret.pem'), join(home, 'logs', 'link'));
      },
    });
    const refused = [
      'secret.pem',
      join(folder, 'secret.pem'),
      'logs/../secret.pem',
      'logs/link',
      'logs',
      'logs/missing',
      '/dev/stdin',
    ];
    for (const name of refused) {
      const { isError, text } = await call('analyze', { files: [name] });
      assert.equal(isError, true, name);
      assert.match(text, /is not a file in a folder that tools may read/, name);
    }
    const payload = 'AAAAAAAAAAAAAAAAAAAAAA==';
    const read = async (given: object) =>
      (await call('cipher_identify', { payload, ...given })).text;
    for (const given of [{ key: 'file:secret.pem' }, { key, payload: '@secret.pem' }]) {
      assert.match(await read(given), /is not a file in a folder/);
    }
    assert.doesNotMatch(await read({ key: 'file:logs/key' }), /is not a file/);
    const outside = await call('key_unwrap', {
      enc_partner_key: 'AAAA',
      private_key: ['secret.pem'],
    });
    assert.match(outside.text, /is not a file in a folder/);
  });

  it('is no variable but those of authcli and of --allow-env, no command and no input', async (context) => {
    const env = { AUTHCLI_MY_KEY: key, SHOP_KEY: key, OTHER: key };
    const { call } = await connectAgent(context, { args: ['--allow-env', 'SHOP_KEY'], env });
    const payload = 'AAAAAAAAAAAAAAAAAAAAAA==';
    const identify = async (reference: string) =>
      (await call('cipher_identify', { payload, key: reference })).text;
    for (const name of ['AUTHCLI_MY_KEY', 'SHOP_KEY']) {
      assert.doesNotMatch(await identify(`env:${name}`), /may not read|is not set/);
    }
    assert.match(await identify('env:OTHER'), /may not read the environment variable "OTHER"/);
    assert.match(await identify('env:PATH'), /may not read/);
    assert.match(await identify('cmd:id'), /tools run no commands/);
    assert.match(await identify('-'), /no standard input/);
    assert.match(await identify('k'.repeat(1_100_000)), /longer than 1 MiB/);
  });

  it('is only what the schema of a tool names', async (context) => {
    const { call } = await connectAgent(context);
    for (const given of [{ har: 'x.har' }, { header: ['X: file:/etc/passwd'] }, { signin: true }]) {
      const result = await call('verify', given).catch((error: Error) => ({
        isError: true,
        text: error.message,
      }));
      assert.equal(result.isError, true);
      assert.match(result.text, /additional properties/i);
    }
  });

  it('is the command of the start for a sign-in, and no other', async (context) => {
    const command = [process.execPath, resolve('test/interop/node/applications/sign-in.mjs')];
    const { call, client } = await connectAgent(context, { args: ['--', ...command] });
    const { tools } = await client.listTools();
    const verify = tools.find(({ name }) => name === 'verify');
    assert.deepEqual(Object.keys(verify?.inputSchema.properties ?? {}).includes('signin'), true);
    const check = ['signin/accepts-right-sign-in'];
    const { document, text } = await call('verify', { signin: true, no_url: true, check });
    assert.equal(document.summary.passed, 1, text);
  });

  it('is never a secret in clear: --show-secrets is refused', async (context) => {
    const { folder } = await connectAgent(context);
    const configFile = join(folder, 'other.json');
    const { status, stderr } = await run(['mcp', '--show-secrets'], { configFile });
    assert.equal(status, 2);
    assert.match(stderr, /never shows secrets/);
  });
});
