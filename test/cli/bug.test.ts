import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Context } from '../../src/cli/context.ts';
import { bin, start } from '../support/program.ts';
import { workspace } from './workspace.ts';

const { path, configFile, save, cli } = workspace();
const secretKey = 'Secret/Key+of=the&tests';
const said = 'what the error says, with 0123456789';

/** The first random bytes can't be had, for an unexpected reason. */
const context: Partial<Context> = {
  randomBytes: () => {
    throw new TypeError(said, { cause: new RangeError(secretKey) });
  },
};
const broken = async (...argv: readonly string[]) => {
  const result = await cli(argv, { context });
  assert.equal(result.status, 70);
  return result;
};

describe('a bug', () => {
  it('is said with how to report it, and without what the error says', async () => {
    const { stdout, stderr } = await broken('key', 'generate');
    assert.equal(stdout, '');
    assert.match(stderr, /^error: This is a bug in authcli: an unexpected TypeError\.$/m);
    assert.match(stderr, /^next: {2}authcli key generate --verbose$/m);
    assert.ok(!stderr.includes(said), stderr);
    const { ok, error } = JSON.parse((await broken('key', 'generate', '--json')).stdout);
    assert.deepEqual([ok, error.code], [false, 'internal']);
  });

  it('can be reported with --verbose, also beside --show-secrets and --json', async () => {
    const argv = ['issue-ptn-token', '--ptn-cd', 'alice', '--secret-key', secretKey];
    for (const way of ['--verbose', '--verbose --show-secrets', '--verbose --json']) {
      const { stderr } = await broken(...argv, ...way.split(' '));
      const lines = stderr.split('\n').filter((line) => line.startsWith('bug: '));
      assert.deepEqual(lines.slice(0, 3), [
        'bug: authcli 0.0.0-test, Node 22.0.0, OpenSSL 3.0.0',
        `bug: command: authcli issue-ptn-token ${way} --ptn-cd --secret-key`,
        'bug: TypeError',
      ]);
      assert.match(stderr, /^bug: {5}at .*\(?src\/emulator\/tokens\.[jt]s:\d+/m);
      assert.match(stderr, /^bug: RangeError$/m);
      for (const secret of [secretKey, said, process.cwd()])
        assert.ok(!stderr.includes(secret), stderr);
    }
  });

  it('is also an error that nothing waits for', async () => {
    save(
      'throw.cjs',
      `process.once('SIGUSR2', () => { Promise.reject(new TypeError('${said}')); })`,
    );
    const argv = ['--require', path('throw.cjs'), bin, 'emulate', 'app', '--json', '--verbose'];
    const running = start(process.execPath, argv, { env: { AUTHCLI_CONFIG: configFile } });
    await running.says('"listening"');
    running.child.kill('SIGUSR2');
    const { status, stdout, stderr } = await running.ended;
    assert.equal(status, 70, stderr);
    const last = stdout.trim().split('\n').at(-1) ?? '';
    assert.deepEqual(JSON.parse(last), { event: 'stopped', code: 'internal' });
    assert.match(stderr, /^bug: TypeError$/m);
    assert.ok(!stderr.includes(said));
  });
});
