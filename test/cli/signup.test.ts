import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-signup-'));
let configs = 0;

/** A config file of its own for a test. */
function freshConfig(): string {
  configs += 1;
  return join(folder, String(configs), 'config.json');
}

async function withApplication<T>(
  flags: readonly string[],
  use: (url: string) => Promise<T>,
): Promise<T> {
  const application = await startSide(['app', ...flags], { configFile: freshConfig() });
  try {
    return await use(application.url);
  } finally {
    await application.stop();
  }
}

interface SignupJson {
  readonly ok: boolean;
  readonly command: string;
  readonly ptn_cd: string;
  readonly client_id: string;
  readonly url: string;
  readonly key_fingerprint: string | null;
  readonly key?: string;
  readonly super_passcode?: string;
  readonly steps: readonly {
    readonly used_type: string;
    readonly http_status: number | null;
    readonly code: string | null;
    readonly diagnosis?: { readonly code: string };
  }[];
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
}

async function signUp(url: string, flags: readonly string[] = [], configFile = freshConfig()) {
  const result = await run(['simulate-signup', '--url', url, '--json', ...flags], { configFile });
  return { ...result, json: JSON.parse(result.stdout) as SignupJson, configFile };
}

describe('simulate-signup', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('signs a user up, and knows it afterwards', async () => {
    await withApplication([], async (url) => {
      const { status, json, configFile } = await signUp(url, ['--ptn-cd', 'alice']);
      assert.equal(status, 0);
      assert.equal(json.ok, true);
      assert.deepEqual(
        json.steps.map((step) => [step.used_type, step.http_status, step.code]),
        [
          ['1', 200, '0000'],
          ['2', 200, '0000'],
        ],
      );
      assert.match(json.key_fingerprint ?? '', /^sha256:[0-9a-f]{12}$/);
      const users = await run(['users', 'list', '--json'], { configFile });
      assert.deepEqual((JSON.parse(users.stdout) as { users: unknown }).users, [
        { ptn_cd: 'alice', state: 'registered', key_fingerprint: json.key_fingerprint },
      ]);
      assert.equal(statSync(configFile).mode & 0o777, 0o600);
    });
  });

  it('gives a made-up user a code with a prefix', async () => {
    await withApplication([], async (url) => {
      assert.match((await signUp(url)).json.ptn_cd, /^authcli-[0-9a-f]{12}$/);
    });
  });

  it('shows key and passcode on request alone', async () => {
    await withApplication([], async (url) => {
      const { json } = await signUp(url, [
        '--show-secrets',
        '--super-passcode',
        'four words of passcode',
      ]);
      assert.equal(json.key?.length, 32);
      assert.equal(json.super_passcode, 'four words of passcode');
      assert.equal('key' in (await signUp(url)).json, false);
    });
  });

  it('keeps nothing with --no-save', async () => {
    await withApplication([], async (url) => {
      const { status, configFile } = await signUp(url, ['--no-save']);
      assert.equal(status, 0);
      assert.throws(() => statSync(configFile), /ENOENT/);
    });
  });

  it('does not send the second callback when the first failed', async () => {
    await withApplication(['--fault', 'code-200'], async (url) => {
      const { status, json, configFile } = await signUp(url, ['--ptn-cd', 'alice']);
      assert.equal(status, 1);
      assert.equal(json.steps.length, 1);
      assert.equal(json.error?.code, 'code-not-success');
      const users = await run(['users', 'list', '--json'], { configFile });
      assert.deepEqual((JSON.parse(users.stdout) as { users: unknown[] }).users, []);
    });
  });

  it('exits 1 when the application responds with another code than "0000", with its message', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"code":"9999","message":"not today"}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { status, json } = await signUp(`http://127.0.0.1:${port}/`);
    server.close();
    assert.equal(status, 1);
    assert.equal(json.ok, false);
    assert.equal(json.error?.code, 'code-not-success');
    assert.match(json.error?.message ?? '', /9999.*not today/s);
  });

  it('exits 3 when nothing listens, with the fields of the contract', async () => {
    const { status, json } = await signUp('http://127.0.0.1:1/callback');
    assert.equal(status, 3);
    assert.equal(json.ok, false);
    assert.equal(json.error?.code, 'refused');
    assert.equal(json.command, 'simulate-signup');
    assert.equal(json.steps[0]?.http_status, null);
  });

  it('shows what it would send with --dry-run, and sends nothing', async () => {
    const { status, stdout, configFile } = await signUp('http://127.0.0.1:1/callback', [
      '--dry-run',
      '--ptn-cd',
      'alice',
    ]);
    assert.equal(status, 0);
    const { requests } = JSON.parse(stdout) as {
      requests: { body: Record<string, string>; headers: Record<string, string> }[];
    };
    assert.deepEqual(Object.keys(requests[0]?.body ?? {}), [
      'client_id',
      'used_type',
      'ptn_cd',
      'public_key',
    ]);
    assert.deepEqual(Object.keys(requests[1]?.body ?? {}), [
      'client_id',
      'used_type',
      'ptn_cd',
      'partner_sp',
      'ubifill',
    ]);
    assert.equal(requests[0]?.headers['Content-type'], 'application/json;charset=utf-8');
    assert.throws(() => statSync(configFile), /ENOENT/);
  });

  it('keeps one service key pair for the profile, until a fresh one is wanted', async () => {
    const configFile = freshConfig();
    const keyOf = async (flags: readonly string[]): Promise<string> => {
      const { stdout } = await signUp('http://127.0.0.1:1/', ['--dry-run', ...flags], configFile);
      const { requests } = JSON.parse(stdout) as { requests: { body: { public_key: string } }[] };
      return requests[0]?.body.public_key ?? '';
    };
    await withApplication([], (url) => signUp(url, [], configFile));
    const first = await keyOf([]);
    assert.equal(await keyOf([]), first);
    await withApplication([], (url) => signUp(url, ['--fresh-key-pair'], configFile));
    assert.notEqual(await keyOf([]), first);
  });

  it('uses a key pair of another size once', async () => {
    const configFile = freshConfig();
    const bitsWith = async (flags: readonly string[]): Promise<number> => {
      const { stdout } = await signUp('http://127.0.0.1:1/', ['--dry-run', ...flags], configFile);
      const { requests } = JSON.parse(stdout) as { requests: { body: { public_key: string } }[] };
      const inspected = await run(
        ['key', 'inspect', requests[0]?.body.public_key ?? '', '--json'],
        { configFile },
      );
      return (JSON.parse(inspected.stdout) as { bits: number }).bits;
    };
    await withApplication([], async (url) => {
      await signUp(url, [], configFile);
      assert.equal((await signUp(url, ['--key-bits', '3072'], configFile)).status, 0);
    });
    assert.equal(await bitsWith([]), 2048);
    assert.equal(await bitsWith(['--key-bits', '3072']), 3072);
    await withApplication([], async (url) => {
      await signUp(url, ['--key-bits', '3072', '--fresh-key-pair'], configFile);
    });
    assert.equal(await bitsWith([]), 3072, 'a fresh one is that of the profile');
  });

  it('delivers the stored passcode again, unless another is given', async () => {
    await withApplication([], async (url) => {
      const configFile = freshConfig();
      const first = await signUp(url, ['--ptn-cd', 'alice', '--show-secrets'], configFile);
      const register = async (flags: readonly string[]) => {
        const argv = ['simulate-registration', '--url', url, '--ptn-cd', 'alice', '--json'];
        const { stdout } = await run([...argv, '--show-secrets', ...flags], { configFile });
        return (JSON.parse(stdout) as SignupJson).super_passcode;
      };
      assert.equal(await register([]), first.json.super_passcode);
      assert.equal(await register(['--super-passcode', 'another one']), 'another one');
      assert.equal(await register([]), 'another one');
    });
  });

  it('sends the user information that is given, or none', async () => {
    const application = await startSide(['app', '--show-secrets'], { configFile: freshConfig() });
    const configFile = freshConfig();
    const flags = [
      '--ptn-cd',
      'alice',
      '--email',
      'a@example.com',
      '--name',
      '김하은',
      '--phone',
      '+82-10-1',
    ];
    await signUp(application.url, flags, configFile);
    await signUp(application.url, ['--ptn-cd', 'bob', '--no-user-info'], configFile);
    const { stdout } = await application.stop();
    const bodies = stdout
      .split('\n')
      .filter((line) => line.includes('"registration"'))
      .map(
        (line) => (JSON.parse(line) as { request: { json: Record<string, string> } }).request.json,
      );
    assert.equal('ubifill' in (bodies[1] ?? {}), false);
    const decrypted = await run(
      ['decrypt', bodies[0]?.ubifill ?? '', '--ptn-cd', 'alice', '--as', 'ubifill', '--json'],
      { configFile },
    );
    assert.deepEqual((JSON.parse(decrypted.stdout) as { user_info: unknown }).user_info, {
      email: 'a@example.com',
      name: '김하은',
      phone: '+82-10-1',
    });
  });

  it('does not probe unasked where the registration alone is refused', async () => {
    await withApplication(['--cipher', 'aes-256-ecb'], async (url) => {
      const { status, json, stderr } = await signUp(url);
      assert.equal(status, 1);
      assert.equal(json.error?.code, 'code-not-success');
      assert.doesNotMatch(stderr, /probed/);
    });
  });

  it('completes a registration with the key that is known', async () => {
    await withApplication([], async (url) => {
      const configFile = freshConfig();
      const exchange = await run(['simulate-key-exchange', '--url', url, '--ptn-cd', 'alice'], {
        configFile,
      });
      assert.equal(exchange.status, 0);
      assert.match((await run(['users', 'show', 'alice'], { configFile })).stdout, /state\s+known/);
      const registration = await run(['simulate-registration', '--url', url, '--ptn-cd', 'alice'], {
        configFile,
      });
      assert.equal(registration.status, 0);
      assert.match(
        (await run(['users', 'show', 'alice'], { configFile })).stdout,
        /state\s+registered/,
      );
    });
  });

  it('names a user whose key is not known', async () => {
    const result = await run(
      ['simulate-registration', '--url', 'http://127.0.0.1:1/', '--ptn-cd', 'nobody'],
      { configFile: freshConfig() },
    );
    assert.equal(result.status, 2);
    assert.match(result.stderr, /The user "nobody" is not stored in this profile/);
    assert.match(
      result.stderr,
      /^next: {2}authcli simulate-signup --ptn-cd nobody --url http:\/\/127\.0\.0\.1:1\/$/m,
    );
  });
});
