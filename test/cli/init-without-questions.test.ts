import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { scriptedUser } from '../support/prompts.ts';
import { run } from '../support/run.ts';
import { app, gcm, newFile, nobody, settingsIn } from './init.ts';

describe('init without questions', () => {
  it('does the same by flags', async () => {
    const configFile = newFile();
    const argv = [
      'init',
      '--url',
      app.url,
      '--client-id',
      'authcli-client',
      '--cipher',
      'find',
      '--json',
    ];
    const { status, stdout } = await run(argv, { configFile });
    assert.equal(status, 0, stdout);
    const { written, settings, checks, profile } = JSON.parse(stdout);
    assert.equal(written, true);
    assert.equal(profile, 'default');
    assert.deepEqual(settings, [
      { name: 'url', value: app.url },
      { name: 'client-id', value: 'authcli-client' },
      { name: 'cipher', value: gcm },
    ]);
    assert.deepEqual(
      checks.map(({ id, status: found }: { id: string; status: string }) => [id, found]),
      [['url', 'ok']],
    );
  });

  it('asks nothing under --yes, and warns of what does not respond', async () => {
    const configFile = newFile();
    const prompts = scriptedUser([]);
    const argv = ['init', '--yes', '--url', nobody, '--secret-key', 'env:NOWHERE'];
    const { status, stderr } = await run(argv, { configFile, prompts });
    assert.equal(status, 0);
    assert.match(stderr, /^warning: url: .*nothing listens/m);
    assert.match(stderr, /^warning: secret-key: .*NOWHERE is not set/m);
    assert.deepEqual(settingsIn(configFile), { url: nobody, 'secret-key': 'env:NOWHERE' });
  });

  it('unsets by --unset, and sets the rest in the same write', async () => {
    const configFile = newFile();
    await run(['init', '--no-check', '--url', nobody, '--auth-url', nobody], { configFile });
    await run(['config', 'set', 'proxy', 'http://127.0.0.1:3128'], { configFile });
    const argv = ['--unset', 'auth-url', '--unset', 'proxy', '--client-id', 'a', '--json'];
    const { status, stdout } = await run(['init', ...argv], { configFile });
    assert.equal(status, 0, stdout);
    assert.deepEqual(JSON.parse(stdout).removed, ['auth-url', 'proxy']);
    assert.deepEqual(settingsIn(configFile), { url: nobody, 'client-id': 'a' });
  });

  it('makes a profile that is not there', async () => {
    const configFile = newFile();
    const argv = ['init', '--no-check', '--profile', 'staging', '--url', nobody];
    const { status, stdout } = await run(argv, { configFile });
    assert.equal(status, 0);
    assert.match(stdout, /simulate-signup --profile staging/);
    assert.deepEqual(settingsIn(configFile, 'staging'), { url: nobody });
    assert.deepEqual(settingsIn(configFile), {});
  });

  it('stores the name of the variable where the secret comes from one', async () => {
    const configFile = newFile();
    const env = { AUTHCLI_SECRET_KEY: 'from-the-environment' };
    const { status, stdout, stderr } = await run(['init'], { configFile, env });
    assert.equal(status, 0);
    assert.deepEqual(settingsIn(configFile), { 'secret-key': 'env:AUTHCLI_SECRET_KEY' });
    assert.doesNotMatch(stdout + stderr, /from-the-environment/);
  });

  const refused = [
    { name: 'nothing', argv: [], message: /nothing to set/, status: 2 },
    { name: 'a URL without a scheme', argv: ['--url', 'a:1'], message: /--url: /, status: 2 },
    { name: 'no cipher', argv: ['--cipher', 'aes-1'], message: /--cipher: /, status: 2 },
    {
      name: 'a probe of nothing',
      argv: ['--cipher', 'find'],
      message: /needs a callback/,
      status: 2,
    },
    {
      name: 'a probe without a response',
      argv: ['--cipher', 'find', '--url', nobody],
      message: /nothing listens/,
      status: 3,
    },
    {
      name: 'a setting that there is not',
      argv: ['--unset', 'auht-url'],
      message: /--unset: Unknown setting "auht-url".*\n.*Did you mean "auth-url"/,
      status: 2,
    },
    {
      name: 'what is given and unset',
      argv: ['--unset', 'url', '--url', nobody],
      message: /url is both given and unset/,
      status: 2,
    },
    {
      name: 'no time zone',
      argv: ['--expire-time-zone', 'Seoul'],
      message: /not a time zone/,
      status: 2,
    },
  ] as const;
  for (const { name, argv, message, status: expected } of refused) {
    it(`refuses ${name}, and writes nothing`, async () => {
      const configFile = newFile();
      const { status, stderr } = await run(['init', ...argv], { configFile });
      assert.equal(status, expected);
      assert.match(stderr, message);
      assert.equal(existsSync(configFile), false);
    });
  }
});
