import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Context } from '../../src/cli/context.ts';
import { createTransport } from '../../src/client/transport.ts';
import { bin, start } from '../support/program.ts';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-debug-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

const secretKey = 'Secret/Key+of=the&tests';
const said = 'what the error says, with 0123456789';

/** An environment in which the first random bytes can't be had, for an unexpected reason. */
const broken: Partial<Context> = {
  randomBytes: () => {
    throw new TypeError(said, { cause: new RangeError(secretKey) });
  },
};

const bug =
  'error: This is a bug in authcli: an unexpected TypeError.\n' +
  'fix:   Please report it with the output of the same command with --debug; secrets are redacted.\nnext:  authcli key generate --debug\n';

describe('a bug', () => {
  it('is said in one line, with how to report it', async () => {
    const { status, stdout, stderr } = await run(['key', 'generate'], {
      configFile,
      context: broken,
    });
    assert.equal(status, 70);
    assert.equal(stdout, '');
    assert.equal(stderr, bug);
  });

  it('is one JSON document under --json', async () => {
    const { status, stdout } = await run(['key', 'generate', '--json'], {
      configFile,
      context: broken,
    });
    assert.equal(status, 70);
    const { ok, error } = JSON.parse(stdout) as { ok: boolean; error: { code: string } };
    assert.deepEqual([ok, error.code], [false, 'internal']);
  });

  for (const way of [['--debug'], ['--debug', '--show-secrets'], ['--debug', '--json']]) {
    it(`can be reported with ${way.join(' ')}`, async () => {
      const argv = ['issue-ptn-token', '--ptn-cd', 'alice', '--secret-key', secretKey];
      const environment = { configFile, context: broken };
      const { status, stderr } = await run([...argv, ...way], environment);
      assert.equal(status, 70);
      const lines = stderr.split('\n');
      assert.deepEqual(lines.slice(0, 4), [
        'debug: authcli 0.0.0-test, Node 22.0.0, OpenSSL 3.0.0',
        `debug: command: authcli issue-ptn-token --ptn-cd alice --secret-key [redacted] ${way.join(' ')}`,
        'debug: exit status: 70',
        'debug: TypeError',
      ]);
      assert.match(stderr, /^debug: {5}at .*\(?src\/emulator\/tokens\.[jt]s:\d+/m);
      assert.match(stderr, /^debug: RangeError$/m);
      for (const secret of [secretKey, said, process.cwd()]) {
        assert.equal(stderr.includes(secret), false, stderr);
      }
    });
  }

  it('is reported with what was sent and received, without secrets', async () => {
    const service = await startSide(['service', '--secret-key', secretKey], { configFile });
    const context: Partial<Context> = {
      openTransport: async (options) => {
        const transport = createTransport(options);
        const send: typeof transport.send = async (request) => {
          if (request.url.pathname.endsWith('authenticate')) throw new TypeError(said);
          return transport.send(request);
        };
        return { ...transport, send, close: () => transport.close() };
      },
    };
    const account = ['--client-id', 'authcli-client', '--secret-key', secretKey];
    const issued = await run(['issue-ptn-token', '--ptn-cd', 'alice', ...account], { configFile });
    const token = issued.stdout.trim();
    const argv = ['token', '--auth-url', service.url, '--ptn-token', token, ...account];
    const { stderr } = await run([...argv, '--debug', '--show-secrets'], { configFile, context });
    await service.stop();
    assert.match(stderr, /^POST \/process\/token HTTP/m);
    assert.match(stderr, /"secret_key":"\[redacted\]"/);
    for (const secret of [secretKey, token, said]) {
      assert.equal(stderr.includes(secret), false, stderr);
    }
  });
});

describe('--debug', () => {
  it('shows of a command line that can not be read the names alone', async () => {
    const argv = ['key', 'generate', '--secret-ky', secretKey, `--kye=${secretKey}`, '--debug'];
    const { status, stderr } = await run([...argv, '--', secretKey], { configFile });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^debug: command: authcli key generate --secret-ky \[redacted\] --kye=\[redacted\] --debug -- \[redacted\]$/m,
    );
    assert.equal(stderr.includes(secretKey), false, stderr);
  });

  it('adds to any run, and hides what a URL reveals', async () => {
    const url = 'http://user:passw0rd@127.0.0.1:1/x?token=t0ken-of-the-tests';
    const argv = ['config', 'set', 'secret-key', secretKey, '--debug'];
    const { status, stderr } = await run(argv, { configFile });
    assert.equal(status, 0);
    assert.match(stderr, /^debug: command: authcli config set \[redacted\] \[redacted\] --debug$/m);
    const other = await run(['simulate-signup', `--url=${url}`, '--debug'], { configFile });
    const debug = other.stderr.replace(/^(?!debug:).*$/gm, '');
    assert.match(debug, /--url=http:\/\/\[redacted\]@127.0.0.1:1\/x\?\[redacted\]/);
    assert.equal(/passw0rd|t0ken/.test(debug), false, debug);
  });
});

describe('an error that nothing waits for', () => {
  for (const [thrown, where] of [
    [`throw new TypeError(${JSON.stringify(said)})`, 'outside'],
    [`Promise.reject(new TypeError(${JSON.stringify(said)}))`, 'in a promise'],
  ]) {
    it(`is a bug as any other: ${where}`, async () => {
      const preload = join(folder, `${where?.length}.cjs`);
      writeFileSync(preload, `process.once('SIGUSR2', () => { ${thrown}; });`);
      const argv = ['--require', preload, bin, 'emulate', 'app', '--json', '--debug'];
      const running = start(process.execPath, argv, { env: { AUTHCLI_CONFIG: configFile } });
      await running.says('"listening"');
      running.child.kill('SIGUSR2');
      const { status, stdout, stderr } = await running.ended;
      assert.equal(status, 70, stderr);
      const events = stdout.trim().split('\n');
      assert.deepEqual(JSON.parse(events.at(-1) ?? ''), { event: 'stopped', code: 'internal' });
      assert.match(stderr, /^debug: TypeError$/m);
      assert.equal(stderr.includes(said), false);
    });
  }
});
