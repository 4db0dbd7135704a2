import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { allowedHost, refuseHost } from '../../../src/cli/mcp/limits.ts';
import { fixtureRows } from '../../support/fixtures.ts';
import { run } from '../../support/run.ts';
import { connectAgent } from './client.ts';

const key = 'kQ8vR2mXw7ZtB4nLp9cYd6sFh3gJa5uE';
const payload = 'AAAAAAAAAAAAAAAAAAAAAA==';

describe('what an agent may reach', () => {
  type Row = readonly [url: string, hosts: string, reaches: boolean];
  for (const [url, hosts, reaches] of fixtureRows<Row>('readings/hosts.jsonl')) {
    it(`is ${reaches ? '' : 'not '}${url} with --allow-host "${hosts}"`, () => {
      const limits = { hosts: hosts === '' ? [] : [allowedHost(hosts)] };
      const reach = () => refuseHost(new URL(url), limits);
      if (reaches) reach();
      else assert.throws(reach, { code: 'usage' });
    });
  }

  it('is named as a host alone', () => {
    const wrong = ['http://app.test', 'app.test/path', 'user@app.test', '*.app.test', 'app.test/'];
    for (const text of [...wrong, '']) assert.throws(() => allowedHost(text), /is not a host/);
  });

  it('is the same for addresses of the profile', async (context) => {
    const { call, folder } = await connectAgent(context);
    const configFile = join(folder, 'config', 'config.json');
    await run(['config', 'set', 'url', 'http://app.test/callback'], { configFile });
    await run(['config', 'set', 'auth-url', 'http://auth.test'], { configFile });
    for (const tool of ['verify', 'simulate_signup', 'cipher_probe']) {
      const { isError, text } = await call(tool);
      assert.equal(isError, true, tool);
      assert.match(text, /not "app\.test"[\s\S]*--allow-host app\.test/);
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
    const refused = async (tool: string, given: Record<string, unknown>) => {
      const { isError, text } = await call(tool, given);
      assert.equal(isError, true, text);
      assert.match(text, /is not a file in a folder that tools may read/);
    };
    const outside = ['secret.pem', join(folder, 'secret.pem'), 'logs/../secret.pem', 'logs/link'];
    for (const name of [...outside, 'logs', 'logs/missing', '/dev/stdin'])
      await refused('analyze', { files: [name] });
    await refused('cipher_identify', { payload, key: 'file:secret.pem' });
    await refused('cipher_identify', { payload: '@secret.pem', key });
    await refused('key_unwrap', { enc_partner_key: 'AAAA', private_key: ['secret.pem'] });
    const inside = await call('cipher_identify', { payload, key: 'file:logs/key' });
    assert.doesNotMatch(inside.text, /is not a file/);
  });

  it('is no variable but those of authcli and of --allow-env, no command and no input', async (context) => {
    const env = { AUTHCLI_MY_KEY: key, SHOP_KEY: key, OTHER: key };
    const { call } = await connectAgent(context, { args: ['--allow-env', 'SHOP_KEY'], env });
    for (const [reference, isAllowed, message] of [
      ['env:AUTHCLI_MY_KEY', true, /may not read|is not set/],
      ['env:SHOP_KEY', true, /may not read|is not set/],
      ['env:OTHER', false, /may not read the environment variable "OTHER"/],
      ['env:PATH', false, /may not read/],
      ['cmd:id', false, /tools run no commands/],
      ['-', false, /no standard input/],
      ['k'.repeat(1_100_000), false, /longer than 1 MiB/],
    ] as const) {
      const { text } = await call('cipher_identify', { payload, key: reference });
      assert.equal(message.test(text), !isAllowed, text);
    }
  });

  it('is only what the schema of a tool names', async (context) => {
    const { call } = await connectAgent(context);
    for (const given of [{ har: 'x.har' }, { header: ['X: file:/etc/passwd'] }, { signin: true }]) {
      const { isError, text } = await call('verify', given);
      assert.equal(isError, true);
      assert.match(text, new RegExp(`verify takes no argument "${Object.keys(given)}"`));
    }
  });

  it('is the command of the start for a sign-in, and no other', async (context) => {
    const command = [process.execPath, resolve('test/interop/node/sign-in.mjs')];
    const { call } = await connectAgent(context, { args: ['--', ...command] });
    const check = ['signin/accepts-right-sign-in'];
    const { document, text } = await call('verify', { signin: true, check });
    assert.equal(document.summary.passed, 1, text);
  });

  it('is eight emulators, also when more are started at once', async (context) => {
    const { call } = await connectAgent(context);
    const warn = context.mock.method(process, 'emitWarning', () => {});
    const starts = Array.from({ length: 12 }, () => call('emulate_start', { side: 'application' }));
    const started = (await Promise.all(starts)).filter(({ document }) => document.ok);
    assert.equal(started.length, 8);
    assert.equal(warn.mock.callCount(), 0);
  });

  it('is never a secret in clear: --show-secrets is refused', async () => {
    const configFile = '/no-such-folder/config.json';
    const { status, stderr } = await run(['mcp', '--show-secrets'], { configFile });
    assert.equal(status, 2);
    assert.match(stderr, /never shows secrets/);
  });
});
