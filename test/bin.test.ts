import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { losesNoUserToConcurrentSignUps, refusesAsItsSource } from './bin.ts';
import { makeCertificate } from './support/certificates.ts';
import { okAnswer, startFaultServer } from './support/fault-server.ts';
import { startProxy } from './support/proxy.ts';

/*
 * The program as it is installed: the bundle in dist/, started as a process of its own.
 */

const bin = resolve('bin/authcli.js');
const folder = mkdtempSync(join(tmpdir(), 'authcli-bin-'));
const env = {
  ...process.env,
  AUTHCLI_CONFIG: join(folder, 'config.json'),
  NODE_EXTRA_CA_CERTS: '',
};

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function authcli(...argv: string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile(process.execPath, [bin, ...argv], { env }, (error, stdout, stderr) => {
      done({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function startEmulator(...argv: string[]): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [bin, 'emulate', ...argv, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  return { url: (JSON.parse(line.toString()) as { url: string }).url, child };
}

describe('the installed program', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('tells every step of the demo and says that it worked', async () => {
    const { status, stdout, stderr } = await authcli('demo');
    assert.equal(status, 0, stderr);
    for (const part of [
      'Key exchange',
      'Registration complete',
      'Token',
      'Authenticate',
      'Try next:',
    ]) {
      assert.ok(stdout.includes(part), part);
    }
    assert.equal(stdout.includes('\u001b'), false, 'no colour in a pipe');
  });

  refusesAsItsSource(
    ['key', 'generate', '--bogus'],
    ['--jsn', 'key', 'generate'],
    ['key'],
    ['verify', '--chek', 'a', '--json'],
  );

  it('runs a command against an emulator and ends with its status', async () => {
    const signup = [process.execPath, bin, 'simulate-signup', '--json'];
    const good = await authcli('emulate', 'app', '--port', '0', '--', ...signup);
    assert.equal(good.status, 0, good.stderr);
    const json = JSON.parse(good.stdout) as Record<string, unknown>;
    assert.deepEqual(Object.keys(json), [
      'ok',
      'command',
      'ptn_cd',
      'client_id',
      'url',
      'key_fingerprint',
      'steps',
    ]);
    const bad = await authcli('emulate', 'app', '--fault', 'oaep-sha1', '--', ...signup);
    assert.equal(bad.status, 1);
    assert.equal((JSON.parse(bad.stdout) as { error: { code: string } }).error.code, 'oaep-sha1');
  });

  it('reaches an https address by a proxy', async () => {
    const application = await startFaultServer(async (line) => {
      await line.request();
      line.send(okAnswer('{"code":"0000","message":""}'));
    }, makeCertificate());
    const proxy = await startProxy();
    try {
      const url = `https://localhost:${application.port}/callback`;
      const flags = ['--insecure', '--proxy', `http://localhost:${proxy.port}`, '--json'];
      const { status, stdout } = await authcli('simulate-key-exchange', '--url', url, ...flags);
      assert.equal(status, 1);
      const { error } = JSON.parse(stdout) as { error: { code: string } };
      assert.equal(error.code, 'result-missing');
    } finally {
      await Promise.all([proxy.close(), application.close()]);
    }
  });

  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    it(`stops on ${signal} with ${status}`, async () => {
      const { url, child } = await startEmulator('app');
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number];
      assert.equal(code, status);
      await assert.rejects(() => fetch(url));
    });
  }

  losesNoUserToConcurrentSignUps(4);

  it('is silent when its reader goes away', async () => {
    const child = spawn(process.execPath, [bin, 'help', 'environment'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 0);
    assert.equal(stderr, '');
  });

  it('exits 4 when its output can not be written', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [bin, 'key', 'generate'], {
      env,
      stdio: ['ignore', full, 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number];
    closeSync(full);
    assert.equal(code, 4);
  });

  it('keeps compiled code in the cache folder where this Node can, and works where it may not', () => {
    const [writable, file] = [join(folder, 'cache'), resolve('package.json')];
    const cases: readonly Readonly<Record<string, string>>[] = [
      { XDG_CACHE_HOME: writable },
      { XDG_CACHE_HOME: file },
      { XDG_CACHE_HOME: join(writable, 'disabled'), NODE_DISABLE_COMPILE_CACHE: '1' },
      { XDG_CACHE_HOME: 'relative', HOME: join(folder, 'home') },
    ];
    for (const variables of cases) {
      const { stdout, stderr, status } = spawnSync(process.execPath, [bin, 'key', 'generate'], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...env, ...variables },
      });
      assert.match(stdout, /^[A-Za-z0-9]{32}\n$/);
      assert.deepEqual([stderr, status], ['', 0]);
    }
    const caches = 'enableCompileCache' in module;
    assert.equal(existsSync(join(writable, 'authcli')), caches);
    assert.equal(existsSync(join(writable, 'disabled')), false);
    assert.equal(existsSync(join(folder, 'relative')), false);
  });

  it('says how to build what is not built', () => {
    const bare = join(folder, 'bare');
    cpSync('bin', join(bare, 'bin'), { recursive: true });
    for (const argv of [['--version'], ['key', 'generate']]) {
      const started = spawnSync(process.execPath, [join(bare, 'bin/authcli.js'), ...argv]);
      assert.match(started.stderr.toString(), /not built yet/);
      assert.equal(started.status, 70);
    }
  });

  it('is a library too', async () => {
    const library = (await import(resolve('dist/index.js'))) as typeof import('../src/index.ts');
    const { publicKey, privateKey } = await library.generateKeyPair();
    const key = library.generateUserKey();
    const encPartnerKey = library.wrapKey({ key, publicKey });
    assert.equal(library.unwrapKey({ encPartnerKey, privateKey }).key, key);
    const required = createRequire(import.meta.url)('authcli') as typeof library;
    assert.deepEqual(Object.keys(required), Object.keys(library));
  });

  it('leaves the process of those who import it alone', () => {
    const files = readdirSync('dist/library').map((file) => `dist/library/${file}`);
    for (const file of ['dist/index.js', ...files]) {
      const text = readFileSync(file, 'utf8');
      assert.doesNotMatch(text, /setFlagsFromString|process\.(?:argv|exit|stdout|stderr)\b/, file);
    }
  });
});
