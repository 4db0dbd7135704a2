import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import { startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { freshConfig, cli, cliJson } = workspace();
const nobody = 'http://127.0.0.1:1/callback';

async function withApplication(
  flags: readonly string[],
  use: (url: string) => Promise<unknown>,
): Promise<string> {
  const application = await startSide(['app', ...flags], { configFile: freshConfig() });
  await use(application.url).catch(async (error) => {
    await application.stop();
    throw error;
  });
  return (await application.stop()).stdout;
}

async function signUp(url: string, flags: readonly string[] = [], configFile = freshConfig()) {
  const result = await cliJson(['simulate-signup', '--url', url, ...flags], { configFile });
  return { ...result, configFile };
}

async function userIn(configFile: string, ptnCd = 'alice') {
  const { json } = await cliJson(['users', 'list'], { configFile });
  return json.users.find((user: { ptn_cd: string }) => user.ptn_cd === ptnCd);
}

describe('simulate-signup', () => {
  it('signs a user up, and knows it afterwards', async () => {
    await withApplication([], async (url) => {
      const { status, json, configFile } = await signUp(url, ['--ptn-cd', 'alice']);
      assert.deepEqual([status, json.ok], [0, true]);
      const steps = json.steps.map((step: Record<string, unknown>) => [
        ...[step.used_type, step.http_status, step.code],
      ]);
      assert.deepEqual(steps, [
        ['1', 200, '0000'],
        ['2', 200, '0000'],
      ]);
      const fingerprint = json.key_fingerprint;
      assert.match(fingerprint, /^sha256:[0-9a-f]{12}$/);
      const user = { ptn_cd: 'alice', state: 'registered', key_fingerprint: fingerprint };
      assert.deepEqual(await userIn(configFile), user);
      assert.equal(statSync(configFile).mode & 0o777, 0o600);
    });
  });

  it('gives a made-up user a code with a prefix, and keeps nothing with --no-save', async () => {
    await withApplication([], async (url) => {
      const { status, json, configFile } = await signUp(url, ['--no-save']);
      assert.equal(status, 0);
      assert.match(json.ptn_cd, /^authcli-[0-9a-f]{12}$/);
      assert.ok(!existsSync(configFile));
    });
  });

  it('shows key and passcode on request alone', async () => {
    await withApplication([], async (url) => {
      const passcode = 'four words of passcode';
      const { json } = await signUp(url, ['--show-secrets', '--super-passcode', passcode]);
      assert.deepEqual([json.key.length, json.super_passcode], [32, passcode]);
      assert.ok(!('key' in (await signUp(url)).json));
    });
  });

  it('does not send the second callback when the first failed', async () => {
    await withApplication(['--fault', 'code-200'], async (url) => {
      const { status, json, configFile } = await signUp(url, ['--ptn-cd', 'alice']);
      assert.deepEqual([status, json.steps.length, json.error.code], [1, 1, 'code-not-success']);
      assert.equal(await userIn(configFile), undefined);
    });
  });

  it('exits 1 when the application responds with another code than "0000", with its message', async (test) => {
    const server = createServer((_, response) =>
      response.end('{"code":"9999","message":"not today"}'),
    );
    const { url, close } = await listen(server, 'http');
    test.after(close);
    const { status, json } = await signUp(url.href);
    assert.deepEqual([status, json.ok, json.error.code], [1, false, 'code-not-success']);
    assert.match(json.error.message, /9999.*not today/s);
  });

  it('exits 3 when nothing listens, with the fields of the contract', async () => {
    const { status, json } = await signUp(nobody);
    const { ok, command, error, steps } = json;
    assert.deepEqual([status, ok, command, error.code], [3, false, 'simulate-signup', 'refused']);
    assert.equal(steps[0].http_status, null);
  });

  it('shows what it would send with --dry-run, and sends nothing', async () => {
    const { status, json, configFile } = await signUp(nobody, ['--dry-run', '--ptn-cd', 'alice']);
    assert.equal(status, 0);
    const [exchange, registration] = json.requests;
    const common = ['client_id', 'used_type', 'ptn_cd'];
    assert.deepEqual(Object.keys(exchange.body), [...common, 'public_key']);
    assert.deepEqual(Object.keys(registration.body), [...common, 'partner_sp', 'ubifill']);
    assert.equal(exchange.headers['Content-type'], 'application/json;charset=utf-8');
    assert.ok(!existsSync(configFile));
  });

  it('keeps one key pair for the profile, until a fresh one is wanted, and one of another size is used once', async () => {
    const configFile = freshConfig();
    const keyOf = async (...flags: readonly string[]): Promise<string> =>
      (await signUp(nobody, ['--dry-run', ...flags], configFile)).json.requests[0].body.public_key;
    const bitsOf = async (key: string) => (await cliJson(['key', 'inspect', key])).json.bits;
    await withApplication([], async (url) => {
      await signUp(url, [], configFile);
      const first = await keyOf();
      assert.equal(await keyOf(), first);
      await signUp(url, ['--fresh-key-pair'], configFile);
      assert.notEqual(await keyOf(), first);
      const larger = ['--key-bits', '3072'];
      assert.equal((await signUp(url, larger, configFile)).status, 0);
      assert.equal(await bitsOf(await keyOf()), 2048);
      assert.equal(await bitsOf(await keyOf(...larger)), 3072);
      await signUp(url, [...larger, '--fresh-key-pair'], configFile);
      assert.equal(await bitsOf(await keyOf()), 3072, 'a fresh one is that of the profile');
    });
  });

  it('delivers the stored passcode again, unless another is given', async () => {
    await withApplication([], async (url) => {
      const alice = ['--ptn-cd', 'alice', '--show-secrets'];
      const { json, configFile } = await signUp(url, alice);
      const register = async (...flags: readonly string[]) => {
        const argv = ['simulate-registration', '--url', url, ...alice, ...flags];
        return (await cliJson(argv, { configFile })).json.super_passcode;
      };
      assert.equal(await register(), json.super_passcode);
      assert.equal(await register('--super-passcode', 'another one'), 'another one');
      assert.equal(await register(), 'another one');
    });
  });

  it('sends the user information that is given, or none', async () => {
    const configFile = freshConfig();
    const info = { email: 'a@example.com', name: '김하은', phone: '+82-10-1' };
    const flags = Object.entries(info).flatMap(([name, value]) => [`--${name}`, value]);
    const stdout = await withApplication(['--show-secrets'], async (url) => {
      await signUp(url, ['--ptn-cd', 'alice', ...flags], configFile);
      await signUp(url, ['--ptn-cd', 'bob', '--no-user-info'], configFile);
    });
    const registrations = stdout.split('\n').filter((line) => line.includes('"registration"'));
    const [alice, bob] = registrations.map((line) => JSON.parse(line).request.json);
    assert.ok(!('ubifill' in bob));
    const decrypt = ['decrypt', alice.ubifill, '--ptn-cd', 'alice', '--as', 'ubifill'];
    assert.deepEqual((await cliJson(decrypt, { configFile })).json.user_info, info);
  });

  it('does not probe unasked where the registration alone is refused', async () => {
    await withApplication(['--cipher', 'aes-256-ecb'], async (url) => {
      const { status, json, stderr } = await signUp(url);
      assert.deepEqual([status, json.error.code], [1, 'code-not-success']);
      assert.doesNotMatch(stderr, /probed/);
    });
  });
});

describe('simulate-registration', () => {
  it('completes a sign-up with the key that is known', async () => {
    await withApplication([], async (url) => {
      const configFile = freshConfig();
      for (const [step, state] of [
        ['simulate-key-exchange', 'known'],
        ['simulate-registration', 'registered'],
      ] as const) {
        const argv = [step, '--url', url, '--ptn-cd', 'alice'];
        assert.equal((await cli(argv, { configFile })).status, 0);
        assert.equal((await userIn(configFile)).state, state);
      }
    });
  });

  it('names a user whose key is not known', async () => {
    const argv = ['simulate-registration', '--url', 'http://127.0.0.1:1/', '--ptn-cd', 'nobody'];
    const { status, stderr } = await cli(argv);
    assert.equal(status, 2);
    assert.match(stderr, /The user "nobody" is not stored in this profile/);
    const next =
      /^next: {2}authcli simulate-signup --ptn-cd nobody --url http:\/\/127\.0\.0\.1:1\/$/m;
    assert.match(stderr, next);
  });
});
