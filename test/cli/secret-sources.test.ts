import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-sources-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

const secretKey = 'server-secret-of-the-tests';
const refusing = ['--auth-url', 'http://127.0.0.1:1', '--client-id', 'shop'];
const signin = ['signin', '--ptn-token', 'env:TOKEN', ...refusing];
const env = { TOKEN: 'token-of-the-tests' };

/** A folder that everybody can enter. */
const open = mkdtempSync(join(tmpdir(), 'authcli-open-'));
chmodSync(open, 0o755);
after(() => rmSync(open, { recursive: true, force: true }));

function openFile(mode: number): string {
  return secretFile(mode, open);
}

function secretFile(mode: number, inside = folder): string {
  const file = join(inside, `secret-${mode.toString(8)}`);
  writeFileSync(file, `${secretKey}\n`);
  chmodSync(file, mode);
  return file;
}

describe('a secret that a run has no use for', () => {
  const profile = { configFile: join(folder, 'unused.json') };
  before(() => run(['config', 'set', 'secret-key', 'env:NOT_SET_HERE'], profile));

  for (const command of ['verify', 'load']) {
    it(`is not asked for by ${command} of a callback endpoint`, async () => {
      const argv = [command, '--url', 'http://127.0.0.1:1/callback'];
      assert.equal((await run(argv, profile)).status, 3);
      const { status, stderr } = await run([...argv, '--secret-key', 'env:NOT_SET_HERE'], profile);
      assert.equal(status, 2);
      assert.match(stderr, /--secret-key: the environment variable NOT_SET_HERE is not set/);
    });
  }

  it('is asked for where it signs in', async () => {
    const argv = ['load', '--scenario', 'signin', '--auth-url', 'http://127.0.0.1:1'];
    const { status, stderr } = await run(argv, profile);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /the setting secret-key: the environment variable NOT_SET_HERE is not set/,
    );
  });
});

describe('a file that a secret is kept in', () => {
  const isRefused = /: others can write the file ".*" \(mode 0666\).\nfix: {3}Run chmod 600 \S+/;
  const isWarned =
    /^warning: .*: others can read the file ".*" \(mode 0644\). If they should not, run chmod 600 /m;
  const ways = (file: string): readonly (readonly string[])[] => [
    ['--secret-key', `file:${file}`],
    ['--secret-key', `@${file}`],
    ['--secret-key', secretKey, '--header', `X-Api-Key: file:${file}`],
  ];

  for (const mode of [0o666, 0o620, 0o602]) {
    const text = mode.toString(8).padStart(4, '0');
    for (const way of ways(secretFile(mode))) {
      it(`is refused with mode ${text} (${way.at(-1)?.slice(0, 12)})`, async () => {
        const { status, stderr } = await run([...signin, ...way], { configFile, env });
        assert.equal(status, 2);
        assert.match(stderr.replace(text, '0666'), isRefused);
      });
    }
  }

  for (const way of ways(openFile(0o644))) {
    it(`is read with one warning where others can read it (${way.at(-1)?.slice(0, 12)})`, async () => {
      const { status, stderr } = await run([...signin, ...way], { configFile, env });
      assert.equal(status, 3);
      assert.match(stderr, isWarned);
      assert.equal(stderr.match(/others can read/g)?.length, 1);
    });
  }

  it('is read without a warning in a folder that only its owner can enter', async () => {
    for (const way of ways(secretFile(0o644))) {
      const { status, stderr } = await run([...signin, ...way], { configFile, env });
      assert.equal(status, 3);
      assert.doesNotMatch(stderr, /others can/);
    }
  });

  it('is read without a warning from where Kubernetes mounts secrets', async () => {
    const mount = join(open, '..2026_01_31_12_30_15.1234567');
    mkdirSync(mount, { mode: 0o755 });
    writeFileSync(join(mount, 'secret-key'), secretKey, { mode: 0o444 });
    const argv = [...signin, '--secret-key', `file:${join(mount, 'secret-key')}`];
    const { status, stderr } = await run(argv, { configFile, env });
    assert.equal(status, 3);
    assert.doesNotMatch(stderr, /others can/);
  });

  for (const mode of [0o600, 0o400, 0o700, 0o711]) {
    it(`is read with mode ${mode.toString(8)}`, async () => {
      const argv = [...signin, '--secret-key', `file:${openFile(mode)}`];
      const { status, stderr } = await run(argv, { configFile, env });
      assert.equal(status, 3);
      assert.doesNotMatch(stderr, /others can/);
    });
  }

  it('is refused where a setting names it, too', async () => {
    const profile = { configFile: join(folder, 'profile.json'), env };
    await run(['config', 'set', 'secret-key', `file:${secretFile(0o666)}`], profile);
    const byProfile = await run(signin, profile);
    assert.equal(byProfile.status, 2);
    assert.match(byProfile.stderr, /the setting secret-key: others can write/);
  });
});

describe('a secret among the words of a command', () => {
  const warning = /^warning: --secret-key: a secret on the command line stays/m;

  it('works with a warning on a terminal, and with none elsewhere', async () => {
    const argv = [...signin, '--secret-key', secretKey];
    for (const isTerminal of [true, false]) {
      const { status, stderr } = await run(argv, { configFile, env, isTerminal });
      assert.equal(status, 3);
      assert.equal(warning.test(stderr), isTerminal, stderr);
      assert.equal(stderr.includes(secretKey), false);
    }
  });

  for (const [name, value, stdin] of [
    ['a variable', 'env:SECRET', ''],
    ['a file', `file:${secretFile(0o600)}`, ''],
    ['a file of any mode, for once', `@${secretFile(0o644)}`, ''],
    ['standard input', '-', secretKey],
    ['a command', 'cmd:print-it', ''],
  ] as const) {
    it(`is not among them when it comes from ${name}`, async () => {
      const argv = [...signin, '--secret-key', value];
      const { status, stderr } = await run(argv, {
        configFile,
        env: { ...env, SECRET: secretKey },
        stdin,
        isTerminal: true,
        context: { firstLineOf: async () => secretKey },
      });
      assert.equal(status, 3, stderr);
      assert.equal(warning.test(stderr), false, stderr);
    });
  }
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
  const env = { PATH, NODE_EXTRA_CA_CERTS: '', ...variables };
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { env, timeout: 20_000 });
  return stdout;
}

describe('the curl lines of a run with secrets', () => {
  it('read them from variables, and work when they are pasted', async (context) => {
    const account = ['--client-id', 'shop', '--secret-key', secretKey];
    const state = join(folder, 'service.json');
    const users = JSON.stringify({ ptn_cd: 'alice', key: 'k'.repeat(32), super_passcode: '4711' });
    await run(['users', 'import', '-'], { configFile: state, stdin: users });
    const service = await startSide(['service', ...account], { configFile: state });
    context.after(() => service.stop());
    const issue = ['issue-ptn-token', '--ptn-cd', 'alice', ...account];
    const token = (seed: string): Promise<string> =>
      run(issue, {
        configFile: state,
        context: { randomBytes: (size) => Buffer.alloc(size, seed) },
      }).then(({ stdout }) => stdout.trim());
    const stored = { configFile: state, env: { SECRET: secretKey } };
    const argv = ['--auth-url', service.url, '--client-id', 'shop', '--secret-key', 'env:SECRET'];
    const header = ['--header', 'Authorization: Bearer abc-of-the-tests'];
    const first = ['signin', '--ptn-token', await token('a'), '--curl', ...header, ...argv];
    const { stderr, status } = await run(first, stored);
    assert.equal(status, 0, stderr);
    const lines = stderr.split('\n').filter((line) => line.startsWith('curl '));
    assert.equal(lines.length, 2, stderr);
    assert.match(
      stderr,
      /^note: the curl commands use the variables AUTHCLI_PTN_TOKEN, SECRET, AUTHCLI_AUTHORIZATION, AUTHCLI_ACS_TOKEN: set them in your shell$/m,
    );
    assert.equal(/server-secret|abc-of/.test(stderr), false, stderr);
    assert.equal(lines.join().includes('[redacted]'), false, stderr);

    const variables = {
      SECRET: secretKey,
      AUTHCLI_PTN_TOKEN: await token('b'),
      AUTHCLI_AUTHORIZATION: 'abc-of-the-tests',
    };
    const response = await pasted(lines[0] ?? '', variables);
    const { code, result } = JSON.parse(response) as {
      code: string;
      result: { acs_token: string };
    };
    assert.equal(code, '0000', response);
    const more = { ...variables, AUTHCLI_ACS_TOKEN: result.acs_token };
    const second = await pasted(lines[1] ?? '', more);
    assert.equal((JSON.parse(second) as { code: string }).code, '0000', second);
  });

  for (const secret of ['line\nof-the-tests', 'short']) {
    it(`hide what no variable can contain: ${JSON.stringify(secret)}`, async () => {
      const argv = [...signin, '--secret-key', secret, '--curl'];
      const { stderr } = await run(argv, { configFile, env });
      assert.match(stderr, /"secret_key":"\[redacted\]"/);
      assert.match(stderr, /^note: \[redacted\] in a curl command is a secret/m);
    });
  }

  it('contain the secrets themselves when they are asked for', async () => {
    const argv = [...signin, '--secret-key', secretKey, '--curl', '--show-secrets'];
    const { stderr } = await run(argv, { configFile, env });
    assert.match(stderr, /"secret_key":"server-secret-of-the-tests"/);
  });
});
