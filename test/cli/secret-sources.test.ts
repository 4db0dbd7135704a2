import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { RunEnvironment } from '../support/run.ts';
import { workspace } from './workspace.ts';

const { folder, path, freshConfig, cli } = workspace();
/** A folder that everybody can enter. */
const open = mkdtempSync(join(tmpdir(), 'authcli-open-'));
chmodSync(open, 0o755);
after(() => rmSync(open, { recursive: true, force: true }));

const secretKey = 'server-secret-of-the-tests';
const env = { TOKEN: 'token-of-the-tests' };
const signin = (argv: readonly string[], environment: Partial<RunEnvironment> = {}) => {
  const refusing = ['--auth-url', 'http://127.0.0.1:1', '--client-id', 'shop'];
  return cli(['signin', '--ptn-token', 'env:TOKEN', ...refusing, ...argv], { env, ...environment });
};

function secretFile(mode: number, inside = folder): string {
  const file = join(inside, `secret-${mode.toString(8)}`);
  writeFileSync(file, `${secretKey}\n`);
  chmodSync(file, mode);
  return file;
}

it('a secret that a run has no use for is not asked for', async () => {
  const profile = { configFile: freshConfig() };
  await cli(['config', 'set', 'secret-key', 'env:NOT_SET_HERE'], profile);
  const to = ['--url', 'http://127.0.0.1:1/callback'];
  const auth = ['--client-id', 'c', '--auth-url', 'http://127.0.0.1:1'];
  for (const [argv, expected] of [
    [['verify', ...to], 3],
    [['verify', ...to, '--secret-key', 'env:NOT_SET_HERE'], 2],
    [['token', '--ptn-token', 'T', ...auth], 2],
  ] as const) {
    const { status, stderr } = await cli(argv, profile);
    assert.equal(status, expected, argv.join(' '));
    const missing = /secret-key: the environment variable NOT_SET_HERE is not set/;
    assert.equal(missing.test(stderr), expected === 2, stderr);
  }
});

describe('a file that a secret is kept in', () => {
  const ways = (file: string): readonly (readonly string[])[] => [
    ['--secret-key', `file:${file}`],
    ['--secret-key', `@${file}`],
    ['--secret-key', secretKey, '--header', `X-Api-Key: file:${file}`],
  ];

  it('is refused where others can write it, also where a setting names it', async () => {
    for (const mode of [0o620, 0o602]) {
      for (const way of ways(secretFile(mode))) {
        const { status, stderr } = await signin(way);
        const refusal = `: others can write the file ".*" \\(mode 0${mode.toString(8)}\\)\\.\n`;
        assert.match(stderr, new RegExp(`${refusal}fix: {3}Run chmod 600 \\S+`));
        assert.equal(status, 2);
      }
    }
    const profile = { configFile: freshConfig() };
    await cli(['config', 'set', 'secret-key', `file:${secretFile(0o666)}`], profile);
    const { status, stderr } = await signin([], profile);
    assert.match(stderr, /the setting secret-key: others can write/);
    assert.equal(status, 2);
  });

  it('is read with one warning where others can read it', async () => {
    const warning = /^warning: .*: others can read the file ".*" \(mode 0644\)\. If .* chmod 600 /m;
    for (const way of ways(secretFile(0o644, open))) {
      const { status, stderr } = await signin(way);
      assert.match(stderr, warning);
      assert.deepEqual([status, stderr.match(/others can read/g)?.length], [3, 1]);
    }
  });

  it('is read without a warning where only its owner can reach it, or Kubernetes mounted it', async () => {
    const mount = join(open, '..2026_01_31_12_30_15.1234567');
    mkdirSync(mount, { mode: 0o755 });
    const owned = [secretFile(0o600, open), secretFile(0o711, open)];
    for (const file of [secretFile(0o644), secretFile(0o444, mount), ...owned]) {
      const { status, stderr } = await signin(['--secret-key', `file:${file}`]);
      assert.equal(status, 3);
      assert.doesNotMatch(stderr, /others can/);
    }
  });
});

describe('a secret among the words of a command', () => {
  const warning = /^warning: --secret-key: a secret on the command line stays/m;

  it('works with a warning on a terminal, and with none elsewhere', async () => {
    for (const isTerminal of [true, false]) {
      const { status, stderr } = await signin(['--secret-key', secretKey], { isTerminal });
      assert.deepEqual([status, warning.test(stderr)], [3, isTerminal], stderr);
    }
  });

  it('is not among them when it comes from elsewhere', async () => {
    const files = [`file:${secretFile(0o600)}`, `@${secretFile(0o644)}`];
    for (const value of ['env:SECRET', ...files, '-', 'cmd:print-it']) {
      const { status, stderr } = await signin(['--secret-key', value], {
        env: { ...env, SECRET: secretKey },
        stdin: secretKey,
        isTerminal: true,
        context: { runChild: async () => ({ status: 0, timedOut: false, output: secretKey }) },
      });
      assert.deepEqual([status, warning.test(stderr)], [3, false], stderr);
    }
  });
});

describe('a written file', () => {
  const to = ['--url', 'http://127.0.0.1:1/callback'];
  const verify = ['verify', ...to, '--check', 'protocol/tls'];
  const modeOf = (file: string): number => statSync(file).mode & 0o777;

  it('with secrets is private from the start, also where it was not before', async () => {
    for (const [name, ...argv] of [
      ['html', ...verify, '--report', `html=${path('html')}`],
      ['har', ...verify, '--har', path('har')],
      ['json', 'load', ...to, '--signups', '1', '--report', `json=${path('json')}`],
    ] as const) {
      for (const before of [undefined, 0o666]) {
        if (before !== undefined) chmodSync(path(name), before);
        await cli([...argv, '--show-secrets']);
        assert.equal(modeOf(path(name)), 0o600, name);
        assert.notEqual(statSync(path(name)).size, 0);
      }
    }
  });

  it('without secrets stays as it was', async () => {
    const file = path('shared.json');
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    await cli([...verify, '--report', `json=${file}`]);
    assert.equal(modeOf(file), 0o644);
  });
});

describe('the curl lines of a run with secrets', () => {
  it('read them from variables, which a note names', async () => {
    const header = ['--header', 'Authorization: Bearer abc-of-the-tests'];
    const argv = ['--secret-key', 'env:SECRET', '--curl', ...header];
    const { stderr } = await signin(argv, { env: { ...env, SECRET: secretKey } });
    assert.match(stderr, /^curl .*"\$AUTHCLI_AUTHORIZATION".*"\$SECRET".*"\$TOKEN"/m);
    const names = /^note: .* use the variables (.*): set them in your shell$/m.exec(stderr)?.[1];
    assert.equal(names, 'TOKEN, SECRET, AUTHCLI_AUTHORIZATION');
    assert.doesNotMatch(stderr, /abc-of|^curl.*\[redacted\]/m);
  });

  it('hide what no variable can contain, and contain what is asked for', async () => {
    for (const secret of ['line\nof-the-tests', 'short']) {
      const { stderr } = await signin(['--secret-key', secret, '--curl']);
      assert.match(stderr, /"secret_key":"\[redacted\]"/);
      assert.match(stderr, /^note: \[redacted\] in a curl command is a secret/m);
    }
    const { stderr } = await signin(['--secret-key', secretKey, '--curl', '--show-secrets']);
    assert.match(stderr, /"secret_key":"server-secret-of-the-tests"/);
  });
});
