import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { application, serve } from '../conformance/support.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verbosity-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

async function signUp(faults: readonly string[], more: readonly string[]) {
  const endpoint = await serve(application(...faults));
  const argv = ['simulate-signup', '--url', endpoint.url.href, ...more];
  // A dumb terminal has no progress lines, which a slow machine would show.
  const env = { TERM: 'dumb', NO_COLOR: '1', AUTHCLI_CLIENT_ID: 'authcli-client' };
  const terminal = { isTerminal: true, columns: 80 };
  return run(argv, { configFile, env, ...terminal }).finally(() => endpoint.close());
}

describe('--verbose', () => {
  it('prints which values are used, and where each is from', async () => {
    const { stderr } = await signUp([], ['--verbose']);
    assert.match(stderr, /^note: --url http:\S+ \(--url\)$/m);
    assert.match(stderr, /^note: --client-id authcli-client \(AUTHCLI_CLIENT_ID\)$/m);
    assert.match(stderr, /^note: --timeout 10s \(default\)$/m);
  });

  it('prints each request as a curl command that fits the terminal', async () => {
    const { stderr } = await signUp([], ['--verbose']);
    const curl = stderr.match(/^curl [\s\S]*?[^\\]$/gm) ?? [];
    assert.equal(curl.length, 2);
    assert.match(curl[0] ?? '', /^curl --request POST.* \\\n {2}/);
    assert.doesNotMatch((await signUp([], [])).stderr, /curl/);
  });

  it('prints the fix in every language', async () => {
    const { stderr } = await signUp(['oaep-sha1'], ['--verbose']);
    for (const name of ['Java', 'Node', 'Python', 'PHP', 'Go', '.NET', 'Ruby'])
      assert.ok(stderr.includes(`${name}: `) || stderr.includes(`${name} and `), name);
  });
});

describe('--quiet', () => {
  it('leaves out the next command', async () => {
    const { stderr } = await signUp(['oaep-sha1'], ['--quiet']);
    assert.match(stderr, /^cause: [\s\S]*^fix: /m);
    assert.doesNotMatch(stderr, /^next:/m);
  });

  it('prints nothing of a sign-up that succeeds, and only what failed of one that fails', async () => {
    assert.equal((await signUp([], ['--quiet'])).stdout, '');
    const { stdout } = await signUp(['registration-code-1'], ['--quiet']);
    assert.match(stdout, /^ {2}✗ registration [^\n]*\n$/);
  });

  for (const argv of [
    ['config', 'set', 'url', 'http://localhost:8080/callback'],
    ['config', 'unset', 'url'],
    ['config', 'profile', 'create', 'quiet'],
    ['config', 'profile', 'use', 'default'],
    ['config', 'profile', 'remove', 'quiet'],
    ['init', '--client-id', 'my-app'],
    ['doctor'],
  ]) {
    it(`prints nothing of ${argv.join(' ')}`, async () => {
      const { status, stdout, stderr } = await run([...argv, '--quiet'], {
        configFile: join(folder, 'quiet', 'config.json'),
      });
      assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
    });
  }
});

describe('the language of a fix', () => {
  const callOf = (stderr: string): string =>
    /^ {7}(Java|Node|Python|PHP|Go)\b[^\n]*: /m.exec(stderr)?.[1] ?? '';

  it('is that of the profile, unless --stack names another', async () => {
    await run(['config', 'set', 'stack', 'python'], { configFile });
    assert.equal(callOf((await signUp(['oaep-sha1'], [])).stderr), 'Python');
    assert.equal(callOf((await signUp(['oaep-sha1'], ['--stack', 'go'])).stderr), 'Go');
    const { status, stderr } = await signUp([], ['--stack', 'cobol']);
    assert.equal(status, 2);
    assert.match(stderr, /--stack: "cobol" is not one of java, kotlin/);
    await run(['config', 'unset', 'stack'], { configFile });
  });

  it('is that of a warning too', async () => {
    const { stderr } = await signUp(['key-low-entropy'], ['--stack', 'go']);
    assert.match(stderr, /^ {4}Go: /m);
    assert.doesNotMatch(stderr, /Python|PHP/);
  });

  it('is recognised from the response', async () => {
    const app = application('oaep-sha1');
    const endpoint = await serve(async (request) => {
      const response = await app(request);
      return { ...response, headers: { ...response.headers, 'x-powered-by': 'PHP/8.3.1' } };
    });
    const argv = ['simulate-signup', '--url', endpoint.url.href];
    const { stderr } = await run(argv, { configFile }).finally(() => endpoint.close());
    assert.equal(callOf(stderr), 'PHP');
  });
});

describe('a command in a message', () => {
  it('begins as authcli was started', async () => {
    const env = { npm_command: 'exec' };
    const { stderr } = await run(['config', 'get', 'proxy'], { configFile, env });
    assert.match(
      stderr,
      /^fix: +`npx authcli config set proxy …` sets it; `npx authcli config list/m,
    );
    for (const npmCommand of ['run-script', 'run']) {
      const script = { configFile, env: { npm_command: npmCommand } };
      assert.match((await run(['config', 'get', 'proxy'], script)).stderr, /`npx authcli config/);
    }
    const { stdout } = await run(['config', 'profile', 'create', 'started'], { configFile, env });
    assert.match(stdout, /`npx authcli config profile use started`/);
    const missing = await run(['signin', '--ptn-token', 'token'], { configFile, env });
    assert.match(missing.stderr, /run `npx authcli config set auth-url …`/);
    const document = await run(['config', 'get', 'proxy', '--json'], { configFile, env });
    assert.match(document.stdout, /`authcli config set proxy …`/);
  });

  it('never has npx fetch the name from the registry, where npx fetched authcli from a URL', async () => {
    const env = { npm_command: 'exec', PATH: '/home/u/.npm/_npx/c72d/node_modules/.bin:/usr/bin' };
    const { stderr } = await run(['config', 'get', 'proxy'], { configFile, env });
    assert.match(stderr, /^fix: +`authcli config set proxy …` sets it/m);
  });
});

describe('other names of commands', () => {
  for (const [word, command] of [
    ['signup', 'simulate-signup'],
    ['sign-up', 'simulate-signup'],
    ['register', 'simulate-signup'],
    ['login', 'signin'],
    ['serve', 'emulate app'],
    ['mock', 'emulate app'],
    ['unwrap', 'key unwrap'],
    ['proxy', 'relay'],
    ['status', 'doctor'],
  ] as const) {
    it(`${word} leads to ${command}`, async () => {
      const env = { npm_command: 'exec' };
      const { status, stderr } = await run([word, '--timeout', '2s'], { configFile, env });
      assert.equal(status, 2);
      assert.ok(stderr.includes(`Did you mean "${command}"?`), stderr);
      assert.match(stderr, new RegExp(`^next: {2}npx authcli ${command}`, 'm'));
    });
  }

  it('version prints the version', async () => {
    assert.equal((await run(['version'], { configFile })).stdout, '0.0.0-test\n');
  });

  for (const [word, place] of [
    ['logs', /`--trace` prints/],
    ['monitor', /`authcli verify --every 5m --url URL`/],
    ['watch', /`authcli emulate app --ui`/],
  ] as const) {
    it(`${word} leads to what does it`, async () => {
      const { status, stderr } = await run([word], { configFile });
      assert.equal(status, 2);
      assert.match(stderr, place);
    });
  }
});
