import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Context } from '../../src/cli/context.ts';
import { bin, start } from '../support/program.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-bug-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

const secretKey = 'Secret/Key+of=the&tests';
const said = 'what the error says, with 0123456789';

/** The first random bytes can't be had, for an unexpected reason. */
const context: Partial<Context> = {
  randomBytes: () => {
    throw new TypeError(said, { cause: new RangeError(secretKey) });
  },
};
const broken = async (...argv: readonly string[]) => {
  const result = await run(argv, { configFile, context });
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

  for (const way of [['--verbose'], ['--verbose', '--show-secrets'], ['--verbose', '--json']]) {
    it(`can be reported with ${way.join(' ')}`, async () => {
      const argv = ['issue-ptn-token', '--ptn-cd', 'alice', '--secret-key', secretKey];
      const { stderr } = await broken(...argv, ...way);
      const lines = stderr.split('\n').filter((line) => line.startsWith('bug: '));
      assert.deepEqual(lines.slice(0, 3), [
        'bug: authcli 0.0.0-test, Node 22.0.0, OpenSSL 3.0.0',
        `bug: command: authcli issue-ptn-token --ptn-cd alice --secret-key [redacted] ${way.join(' ')}`,
        'bug: TypeError',
      ]);
      assert.match(stderr, /^bug: {5}at .*\(?src\/emulator\/tokens\.[jt]s:\d+/m);
      assert.match(stderr, /^bug: RangeError$/m);
      for (const secret of [secretKey, said, process.cwd()])
        assert.ok(!stderr.includes(secret), stderr);
    });
  }

  it('is reported without what a URL reveals', async () => {
    const url = '--url=http://127.0.0.1:1/x?token=t0ken-of-the-tests';
    const proxy = '--proxy=http://user:passw0rd@127.0.0.1:1/';
    const { stderr } = await broken('simulate-signup', url, proxy, '--verbose', '--show-secrets');
    const report = stderr.replace(/^(?!bug:).*$/gm, '');
    assert.match(report, /--url=http:\/\/127.0.0.1:1\/x\?\[redacted\]/);
    assert.doesNotMatch(report, /passw0rd|t0ken/);
  });

  for (const thrown of ['throw', 'Promise.reject']) {
    it(`is also an error that nothing waits for: ${thrown}`, async () => {
      const preload = join(folder, `${thrown}.cjs`);
      const error = `new TypeError(${JSON.stringify(said)})`;
      writeFileSync(preload, `process.once('SIGUSR2', () => { ${thrown} (${error}); });`);
      const argv = ['--require', preload, bin, 'emulate', 'app', '--json', '--verbose'];
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
  }
});
