import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { completionScripts, shells } from '../../src/cli/complete/completion-scripts.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-completion-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

async function answered(...argv: string[]): Promise<string[]> {
  const { stdout, stderr, status } = await run(['__complete', ...argv], { configFile });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.replace(/\n$/, '').split('\n');
}

describe('completion', () => {
  for (const shell of shells) {
    it(`prints the script for ${shell}, as it is and in a JSON document`, async () => {
      const { stdout, status } = await run(['completion', shell], { configFile });
      assert.equal(status, 0);
      assert.equal(stdout, completionScripts[shell]);
      assert.ok(stdout.includes(`authcli __complete ${shell} `));
      const json = await run(['completion', shell, '--json'], { configFile });
      assert.equal(JSON.parse(json.stdout).script, stdout);
    });
  }

  it('refuses a shell that it has no script for', async () => {
    const { status, stderr } = await run(['completion', 'bsh'], { configFile });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /"bsh" is not one of bash, zsh, fish, powershell\.\nfix: {3}Did you mean "bash"\?/,
    );
  });

  it('gives PowerShell what it takes', () => {
    const script = completionScripts.powershell;
    assert.match(
      script,
      /^Register-ArgumentCompleter -Native -CommandName authcli, authcli\.cmd -ScriptBlock \{$/m,
    );
    for (const [open, close] of ['{}', '()', '[]'])
      assert.equal(script.split(open ?? '').length, script.split(close ?? '').length, open);
    assert.match(script, /\[System\.Management\.Automation\.CompletionResult\]::new\(/);
    assert.doesNotMatch(script, /__complete powershell --/, 'authcli.ps1 of npm would swallow it');
  });

  it('quotes for PowerShell what it would not take as one word', () => {
    const [, pattern = ''] = /-match '(\^.*\$)'\)/.exec(completionScripts.powershell) ?? [];
    const plain = new RegExp(pattern);
    const offers = ['--url', 'registration/*', 'verify', 'aes-256-cbc', 'env:NAME', '한국', '-'];
    assert.deepEqual(
      offers.map((offer) => plain.test(offer.replaceAll(/\p{L}/gu, 'x'))),
      [true, false, true, true, true, true, true],
    );
    for (const word of [
      '@file',
      'a,b',
      'a b',
      "it's",
      'a?key=x&iv=y',
      '#x',
      '$x',
      '(x)',
      'a;b',
      '',
    ])
      assert.equal(plain.test(word), false, word);
    assert.ok(plain.test('C:\\x') && plain.test('user@host'));
  });

  it('takes words of PowerShell, empty ones and flags', async () => {
    const [mode, first] = await answered('powershell', '.config', '.profile', '.');
    assert.equal(mode, 'words');
    assert.equal(first, 'list\tthe profiles');
    const offers = await answered('powershell', '.simulate-signup', '.--name', '.', '.--ti');
    assert.deepEqual(
      offers.map((line) => line.split('\t')[0]),
      ['words', '--timeout'],
    );
    assert.deepEqual(await answered('powershell', '.verify', '.--ca', '.'), ['files']);
    const behind = await answered('powershell', '.emulate', '.app', '.--', '.');
    assert.deepEqual(behind, ['files']);
  });
});

describe('what is completed', () => {
  it('comes with what it is', async () => {
    assert.deepEqual(await answered('zsh', 'config', 'g'), ['words', 'get\tone setting']);
    assert.deepEqual(await answered('fish', 'verify', '--fo'), [
      'words',
      '--format\tthe format of standard output',
    ]);
  });

  it('does not offer a flag again, unless it may be given again', async () => {
    const offers = await answered('zsh', 'verify', '--url', 'x', '--check=a', '--');
    assert.ok(!offers.some((line) => line.startsWith('--url\t')));
    assert.ok(offers.some((line) => line.startsWith('--check\t')));
  });

  it('leaves files to the shell', async () => {
    assert.deepEqual(await answered('zsh', 'verify', '--har', ''), ['files']);
    assert.deepEqual(await answered('bash', 'key', 'pair', '--out', ''), ['files']);
    assert.deepEqual(await answered('fish', 'users', 'import', ''), ['files']);
    assert.deepEqual(await answered('fish', 'emulate', 'app', '--', ''), ['files']);
  });

  it('is nothing where nothing is known, and no failure', async () => {
    assert.deepEqual(await answered('zsh', 'verify', '--url', 'h'), ['words']);
    assert.deepEqual(await answered('zsh', 'verify', '--strict=x'), ['words']);
    assert.deepEqual(await answered('tcsh'), ['words', ...(await answered('zsh', '')).slice(1)]);
    writeFileSync(configFile, '{ damaged');
    assert.deepEqual(await answered('zsh', 'users', 'show', ''), ['words']);
    rmSync(configFile);
  });

  it('never holds a user code that would break the lines of the answer', async () => {
    const rows = ['tab\there', 'new\nline', 'esc\u001b[31m', '사용자'].map((ptnCd) =>
      JSON.stringify({ ptn_cd: ptnCd, key: 'k'.repeat(32) }),
    );
    await run(['users', 'import', '-'], { configFile, stdin: rows.join('\n') });
    assert.deepEqual(await answered('fish', 'users', 'show', ''), ['words', '사용자']);
  });

  it('leaves out what bash would break or need quoted', async () => {
    const rows = ['a b', 'a:b', 'a=b', "a'b", 'a$b', 'plain-1'].map((ptnCd) =>
      JSON.stringify({ ptn_cd: ptnCd, key: 'k'.repeat(32) }),
    );
    await run(['config', 'profile', 'create', 'signs'], { configFile });
    const stdin = rows.join('\n');
    await run(['users', 'import', '-', '--profile', 'signs'], { configFile, stdin });
    const line = ['users', 'show', '--profile', 'signs', ''] as const;
    assert.deepEqual(await answered('bash', ...line), ['words', 'plain-1']);
    assert.equal((await answered('zsh', ...line)).length, 7);
  });

  it('takes the profile that the line names', async () => {
    await run(['config', 'profile', 'create', 'b'], { configFile });
    const stdin = JSON.stringify({ ptn_cd: 'of-b', key: 'k'.repeat(32) });
    await run(['users', 'import', '-', '--profile', 'b'], { configFile, stdin });
    for (const words of [['--profile', 'b'], ['--profile=b']]) {
      assert.deepEqual(await answered('fish', 'users', 'show', ...words, 'of'), ['words', 'of-b']);
    }
  });
});
