import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type RunEnvironment, run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-sources-'));
const configFile = join(folder, 'config.json');
/** A folder that everybody can enter. */
const open = mkdtempSync(join(tmpdir(), 'authcli-open-'));
chmodSync(open, 0o755);
after(() => {
  for (const made of [folder, open]) rmSync(made, { recursive: true, force: true });
});

const secretKey = 'server-secret-of-the-tests';
const env = { TOKEN: 'token-of-the-tests' };
const signin = (argv: readonly string[], environment: Partial<RunEnvironment> = {}) => {
  const refusing = ['--auth-url', 'http://127.0.0.1:1', '--client-id', 'shop'];
  const line = ['signin', '--ptn-token', 'env:TOKEN', ...refusing, ...argv];
  return run(line, { configFile, env, ...environment });
};

function secretFile(mode: number, inside = folder): string {
  const file = join(inside, `secret-${mode.toString(8)}`);
  writeFileSync(file, `${secretKey}\n`);
  chmodSync(file, mode);
  return file;
}

it('a secret that a run has no use for is not asked for', async () => {
  const profile = { configFile: join(folder, 'unused.json') };
  await run(['config', 'set', 'secret-key', 'env:NOT_SET_HERE'], profile);
  const missing = /secret-key: the environment variable NOT_SET_HERE is not set/;
  for (const command of ['verify', 'load']) {
    const argv = [command, '--url', 'http://127.0.0.1:1/callback'];
    assert.equal((await run(argv, profile)).status, 3);
    const { status, stderr } = await run([...argv, '--secret-key', 'env:NOT_SET_HERE'], profile);
    assert.equal(status, 2);
    assert.match(stderr, missing);
  }
  const argv = ['load', '--scenario', 'signin', '--auth-url', 'http://127.0.0.1:1'];
  const { status, stderr } = await run(argv, profile);
  assert.equal(status, 2);
  assert.match(stderr, missing);
});

describe('a file that a secret is kept in', () => {
  const ways = (file: string): readonly (readonly string[])[] => [
    ['--secret-key', `file:${file}`],
    ['--secret-key', `@${file}`],
    ['--secret-key', secretKey, '--header', `X-Api-Key: file:${file}`],
  ];

  for (const mode of [0o666, 0o620, 0o602]) {
    it(`is refused with mode ${mode.toString(8)}`, async () => {
      for (const way of ways(secretFile(mode))) {
        const { status, stderr } = await signin(way);
        assert.equal(status, 2);
        const refusal = `: others can write the file ".*" \\(mode 0${mode.toString(8)}\\)\\.\n`;
        assert.match(stderr, new RegExp(`${refusal}fix: {3}Run chmod 600 \\S+`));
      }
    });
  }

  it('is refused where a setting names it, too', async () => {
    const profile = { configFile: join(folder, 'profile.json') };
    await run(['config', 'set', 'secret-key', `file:${secretFile(0o666)}`], profile);
    const { status, stderr } = await signin([], profile);
    assert.equal(status, 2);
    assert.match(stderr, /the setting secret-key: others can write/);
  });

  it('is read with one warning where others can read it', async () => {
    for (const way of ways(secretFile(0o644, open))) {
      const { status, stderr } = await signin(way);
      assert.equal(status, 3);
      assert.match(
        stderr,
        /^warning: .*: others can read the file ".*" \(mode 0644\)\. If they should not, run chmod 600 /m,
      );
      assert.equal(stderr.match(/others can read/g)?.length, 1);
    }
  });

  it('is read without a warning where only its owner can reach it, or Kubernetes mounted it', async () => {
    const mount = join(open, '..2026_01_31_12_30_15.1234567');
    mkdirSync(mount, { mode: 0o755 });
    const files = [
      secretFile(0o644),
      secretFile(0o444, mount),
      ...[0o600, 0o400, 0o700, 0o711].map((mode) => secretFile(mode, open)),
    ];
    for (const way of files.flatMap(ways)) {
      const { status, stderr } = await signin(way);
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
      assert.equal(status, 3);
      assert.equal(warning.test(stderr), isTerminal, stderr);
      assert.equal(stderr.includes(secretKey), false);
    }
  });

  it('is not among them when it comes from elsewhere', async () => {
    const files = [`file:${secretFile(0o600)}`, `@${secretFile(0o644)}`];
    for (const value of ['env:SECRET', ...files, '-', 'cmd:print-it']) {
      const { status, stderr } = await signin(['--secret-key', value], {
        env: { ...env, SECRET: secretKey },
        stdin: secretKey,
        isTerminal: true,
        context: { firstLineOf: async () => secretKey },
      });
      assert.equal(status, 3, stderr);
      assert.doesNotMatch(stderr, warning);
    }
  });
});

describe('a written file', () => {
  const to = ['--url', 'http://127.0.0.1:1/callback'];
  const verify = ['verify', ...to, '--check', 'protocol/tls'];
  const modeOf = (file: string): number => statSync(file).mode & 0o777;
  const writers: readonly (readonly [name: string, argv: (file: string) => string[]])[] = [
    ['verify-report', (file) => [...verify, '--report', `html=${file}`]],
    ['verify-har', (file) => [...verify, '--har', file]],
    ['load-report', (file) => ['load', ...to, '--signups', '1', '--report', `json=${file}`]],
  ];
  for (const [name, argvFor] of writers) {
    it(`with secrets is private from the start, also where it was not before: ${name}`, async () => {
      for (const before of [undefined, 0o644, 0o666]) {
        const file = join(folder, `${name}-${before}`);
        if (before !== undefined) writeFileSync(file, '');
        if (before !== undefined) chmodSync(file, before);
        await run([...argvFor(file), '--show-secrets'], { configFile });
        assert.equal(modeOf(file), 0o600);
        assert.notEqual(statSync(file).size, 0);
      }
    });
  }

  it('without secrets stays as it was', async () => {
    const file = join(folder, 'shared.json');
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    await run([...verify, '--report', `json=${file}`], { configFile });
    assert.equal(modeOf(file), 0o644);
  });
});

/** Runs the line in a shell whose curl sends its request with fetch, and gives the response. */
async function pasted(line: string, variables: Readonly<Record<string, string>>): Promise<string> {
  const curl = join(folder, 'curl');
  writeFileSync(
    curl,
    `#!${process.execPath}
const args = process.argv.slice(2);
const after = (name) => args.flatMap((arg, index) => (args[index - 1] === name ? [arg] : []));
const headers = after('--header').map((line) => line.split(/: (.*)/s).slice(0, 2));
fetch(args.at(-1), { method: 'POST', headers, body: after('--data-binary')[0] })
  .then((answer) => answer.text())
  .then((text) => console.log(text));
`,
    { mode: 0o755 },
  );
  const PATH = `${folder}:${process.env.PATH}`;
  const shell = { env: { PATH, NODE_EXTRA_CA_CERTS: '', ...variables }, timeout: 20_000 };
  return (await promisify(execFile)('sh', ['-c', line], shell)).stdout;
}

describe('the curl lines of a run with secrets', () => {
  it('read them from variables, and work when they are pasted', async (context) => {
    const account = ['--client-id', 'shop', '--secret-key', secretKey];
    const state = { configFile: join(folder, 'service.json') };
    const stdin = JSON.stringify({ ptn_cd: 'alice', key: 'k'.repeat(32), super_passcode: '4711' });
    await run(['users', 'import', '-'], { ...state, stdin });
    const service = await startSide(['service', ...account], state);
    context.after(() => service.stop());
    const token = async (seed: string): Promise<string> => {
      const randomBytes = (size: number) => Buffer.alloc(size, seed);
      const issue = ['issue-ptn-token', '--ptn-cd', 'alice', ...account];
      return (await run(issue, { ...state, context: { randomBytes } })).stdout.trim();
    };
    const argv = ['--auth-url', service.url, '--client-id', 'shop', '--secret-key', 'env:SECRET'];
    const header = ['--header', 'Authorization: Bearer abc-of-the-tests'];
    const { stderr, status } = await run(
      ['signin', '--ptn-token', await token('a'), '--curl', ...header, ...argv],
      { ...state, env: { SECRET: secretKey } },
    );
    assert.equal(status, 0, stderr);
    const lines = stderr.split('\n').filter((line) => line.startsWith('curl '));
    assert.equal(lines.length, 2, stderr);
    assert.match(
      stderr,
      /^note: the curl commands use the variables AUTHCLI_PTN_TOKEN, SECRET, AUTHCLI_AUTHORIZATION, AUTHCLI_ACS_TOKEN: set them in your shell$/m,
    );
    assert.doesNotMatch(stderr, /server-secret|abc-of|^curl.*\[redacted\]/m);

    const variables = {
      SECRET: secretKey,
      AUTHCLI_PTN_TOKEN: await token('b'),
      AUTHCLI_AUTHORIZATION: 'abc-of-the-tests',
    };
    const { code, result } = JSON.parse(await pasted(lines[0] ?? '', variables));
    assert.equal(code, '0000');
    const more = { ...variables, AUTHCLI_ACS_TOKEN: result.acs_token };
    assert.equal(JSON.parse(await pasted(lines[1] ?? '', more)).code, '0000');
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
