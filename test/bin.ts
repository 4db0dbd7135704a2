import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, it } from 'node:test';
import { type Ended, start } from './support/program.ts';
import { run } from './support/run.ts';

/** How the program is started: a file, and what it is given before its own arguments. */
export type Command = readonly [file: string, ...args: string[]];

const folder = mkdtempSync(join(tmpdir(), 'authcli-bin-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Tests what every installation does: the package by its Node, and an executable. `variables` are added to the
 * environment; `keepsCode` says whether its Node has a compile cache.
 */
export function behavesAsInstalled(
  command: Command,
  {
    variables = {},
    keepsCode,
  }: { variables?: Readonly<Record<string, string>>; keepsCode: boolean },
): void {
  const [file, ...args] = command;
  const settings = { AUTHCLI_CONFIG: join(folder, 'config.json'), NODE_EXTRA_CA_CERTS: '' };
  const env = { ...process.env, npm_command: undefined, ...settings, ...variables };

  const authcli = async (...argv: string[]): Promise<Ended> => {
    const running = start(file, [...args, ...argv], { env: { ...settings, ...variables } });
    running.child.stdin?.end();
    return running.ended;
  };

  async function startEmulator(...argv: string[]): Promise<{ url: string; child: ChildProcess }> {
    const words = [...args, 'emulate', ...argv, '--json'];
    const child = spawn(file, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    return { url: (JSON.parse(line.toString()) as { url: string }).url, child };
  }

  it('prints every step of the demo and says that it worked', async () => {
    const { status, stdout, stderr } = await authcli('demo');
    assert.equal(status, 0, stderr);
    const parts = ['Key exchange', 'Registration complete', 'Token', 'Authenticate', 'Try next:'];
    for (const part of parts) assert.ok(stdout.includes(part), part);
    assert.equal(stdout.includes('\u001b'), false, 'no colour in a pipe');
  });

  it('says of a mistake what its source says', async () => {
    const source = { configFile: settings.AUTHCLI_CONFIG, context: { script: args[0] ?? file } };
    for (const line of ['--jsn key generate', 'verify --chek a --json']) {
      const { status, stdout, stderr } = await authcli(...line.split(' '));
      assert.deepEqual({ status, stdout, stderr }, await run(line.split(' '), source));
      assert.equal(status, 2, line);
    }
  });

  it('runs a command against an emulator and ends with its status', async () => {
    const signup = [...command, 'simulate-signup', '--json'];
    const good = await authcli('emulate', 'app', '--port', '0', '--', ...signup);
    assert.equal(good.status, 0, good.stderr);
    const json = JSON.parse(good.stdout) as Record<string, unknown>;
    const fields = 'ok command ptn_cd client_id url key_fingerprint steps';
    assert.equal(Object.keys(json).join(' '), fields);
    assert.equal(json.ok, true);
    const bad = await authcli('emulate', 'app', '--fault', 'oaep-sha1', '--', ...signup);
    assert.equal(bad.status, 1);
    assert.equal((JSON.parse(bad.stdout) as { error: { code: string } }).error.code, 'oaep-sha1');
  });

  it('closes its connections on SIGTERM, and ends with 143', async () => {
    const { url, child } = await startEmulator('app');
    // A new connection would show nothing: the port may be another server's as soon as this one has ended.
    const open = connect(Number(new URL(url).port), '127.0.0.1').resume();
    const closed = new Promise((done) => open.on('error', () => {}).once('close', done));
    await once(open, 'connect');
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 143);
    await closed;
  });

  it('keeps compiled code in the cache folder where this Node can, and works where it may not', () => {
    const writable = join(folder, 'cache');
    const cases: readonly Readonly<Record<string, string>>[] = [
      { XDG_CACHE_HOME: writable },
      { XDG_CACHE_HOME: resolve('package.json') },
      { XDG_CACHE_HOME: join(writable, 'disabled'), NODE_DISABLE_COMPILE_CACHE: '1' },
      { XDG_CACHE_HOME: 'relative', HOME: join(folder, 'home') },
    ];
    for (const variables of cases) {
      const { stdout, stderr, status } = spawnSync(file, [...args, 'key', 'generate'], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...env, ...variables },
      });
      assert.match(stdout, /^[A-Za-z0-9]{32}\n$/);
      assert.deepEqual([stderr, status], ['', 0]);
    }
    assert.equal(existsSync(join(writable, 'authcli')), keepsCode);
    assert.equal(existsSync(join(writable, 'disabled')), false);
    assert.equal(existsSync(join(folder, 'relative')), false);
  });

  it('runs a load in threads of Node, which share what they count', () => {
    const load = ['load', '--signups', '40', '--workers', '2', '--json'];
    const { status, stdout, stderr } = spawnSync(
      file,
      [...args, 'emulate', 'app', '--', ...command, ...load],
      { encoding: 'utf8', env },
    );
    assert.equal(status, 0, stderr);
    const document = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual([document.attempted, document.succeeded, document.workers], [40, 40, 2]);
    assert.ok(Number(document.cpu_ms) > 10);
  });
}
