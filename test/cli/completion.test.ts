import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { completionScripts, shells } from '../../src/cli/complete/completion-scripts.ts';
import { fc } from '../support/fast-check.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-completion-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

async function completed(...argv: string[]): Promise<string[]> {
  const { stdout, stderr, status } = await run(['__complete', ...argv], { configFile });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.replace(/\n$/, '').split('\n');
}

async function importUsers(profile: string, codes: readonly string[]): Promise<void> {
  if (profile !== 'default') await run(['config', 'profile', 'create', profile], { configFile });
  const rows = codes.map((ptnCd) => JSON.stringify({ ptn_cd: ptnCd, key: 'k'.repeat(32) }));
  const argv = ['users', 'import', '-', '--profile', profile];
  await run(argv, { configFile, stdin: rows.join('\n') });
}

describe('completion', () => {
  for (const shell of shells) {
    it(`prints the script for ${shell}, as it is and in a JSON document`, async () => {
      const { stdout } = await run(['completion', shell], { configFile });
      assert.ok(stdout.includes(`authcli __complete ${shell} `));
      const json = await run(['completion', shell, '--json'], { configFile });
      assert.equal(JSON.parse(json.stdout).script, stdout);
    });
  }

  it('refuses a shell that it has no script for', async () => {
    const { status, stderr } = await run(['completion', 'bsh'], { configFile });
    assert.equal(status, 2);
    assert.match(stderr, /not one of bash, zsh, fish, powershell\.\nfix: {3}Did you mean "bash"\?/);
  });

  it('quotes for PowerShell what it would not take as one word', () => {
    const script = completionScripts.powershell;
    const [, plain = '', quotes = ''] =
      /-match '(\^.*?\$)'\).*-replace "(\S+)",/.exec(script) ?? [];
    // .NET's \w is a letter, mark, decimal digit or connector of any script.
    const isPlain = new RegExp(plain.replaceAll('\\w', '\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}'), 'u');
    const words = ['--url', 'verify', 'aes-256-cbc', 'env:NAME', '한국', '-', 'C:\\x', 'user@host'];
    assert.deepEqual(
      words.filter((word) => !isPlain.test(word)),
      [],
    );
    const sign = fc.constantFrom(...`'’‘‚‛“”"$\`;|&!*?~#(){}<>,@%=-–. 0\\a`);
    fc.assert(
      fc.property(fc.array(sign, { minLength: 1 }), (signs) => {
        const value = signs.join('');
        if (isPlain.test(value)) return assert.match(value, /^(?:-[a0-]*|[a%=.\\][a0%=.\\@~-]*)$/);
        const quoted = value.replace(new RegExp(quotes, 'g'), '$&$&');
        // about_Quoting_Rules: the string ends at a single quote, of any kind, that isn't doubled.
        assert.match(quoted, /^(?:[^'\u2018-\u201b]|(['\u2018-\u201b])\1)*$/u);
        assert.equal(quoted.replace(/(['\u2018-\u201b])\1/gu, '$1'), value);
      }),
    );
  });

  it('takes words of PowerShell, empty ones and flags', async () => {
    const [mode, first] = await completed('powershell', '.config', '.profile', '.');
    assert.equal(mode, 'words');
    assert.equal(first, 'list\tthe profiles');
    const offers = await completed('powershell', '.simulate-signup', '.--name', '.', '.--ti');
    assert.deepEqual(
      offers.map((line) => line.split('\t')[0]),
      ['words', '--timeout'],
    );
    assert.deepEqual(await completed('powershell', '.verify', '.--ca', '.'), ['files']);
    const behind = await completed('powershell', '.emulate', '.app', '.--', '.');
    assert.deepEqual(behind, ['files']);
  });
});

describe('what is completed', () => {
  for (const [words, offers] of [
    ['zsh config g', ['words', 'get\tone setting']],
    ['fish verify --fo', ['words', '--format\tthe format of standard output']],
    ['zsh verify --har ', ['files']],
    ['fish users import ', ['files']],
    ['fish emulate app -- ', ['files']],
    ['zsh verify --url h', ['words']],
    ['zsh verify --strict=x', ['words']],
  ] as const) {
    it(`comes with what it is, or is left to the shell: ${words}`, async () => {
      assert.deepEqual(await completed(...words.split(' ')), offers);
    });
  }

  it('is the words of the program for bash, which hands over a line, and for other shells', async () => {
    assert.deepEqual(await completed('bash', 'authcli key pair --out ', ''), ['files']);
    assert.deepEqual(await completed('tcsh'), await completed('zsh', ''));
  });

  it('does not offer a flag again, unless it may be given again', async () => {
    const offers = await completed('zsh', 'verify', '--url', 'x', '--check=a', '--');
    assert.ok(!offers.some((line) => line.startsWith('--url\t')));
    assert.ok(offers.some((line) => line.startsWith('--check\t')));
  });

  it('is nothing where the local state is damaged, and no failure', async () => {
    writeFileSync(configFile, '{ damaged');
    assert.deepEqual(await completed('zsh', 'users', 'show', ''), ['words']);
    rmSync(configFile);
  });

  it('never contains a user code that would break the lines of the response, or move the cursor', async () => {
    const hostile = ['tab\there', 'new\nline', 'esc\u001b[31m', 'c1\u009b31m', 'bidi\u202e'];
    await importUsers('default', [...hostile, '사용자']);
    assert.deepEqual(await completed('fish', 'users', 'show', ''), ['words', '사용자']);
  });

  it('is quoted for bash by the quote that is open, up to what readline replaces', async () => {
    await importUsers('signs', ['a b', 'a:b', "a'b", 'a$b!', 'plain-1']);
    for (const [word, replaced, ...offers] of [
      ['a', 'a', 'a\\ b', 'a\\$b\\!', "a\\'b", 'a:b'],
      ["'a", 'a', "a b'", "a$b!'", "a'\\''b'", "a:b'"],
      ['"a', 'a', 'a b"', `a\\$b"'!'""`, 'a\'b"', 'a:b"'],
      ['a:', '', 'b'],
      ["'a'\\'", "'a'\\'", "a\\'b"],
      ["'a'\\'", '', 'b'],
      ["'a", '', " b'", "$b!'", "''\\''b'", ":b'"],
    ] as const) {
      const line = `authcli users show --profile 'signs' ${word}`;
      assert.deepEqual(await completed('bash', line, replaced), ['words', ...offers], word);
    }
  });

  it('leaves out what Windows PowerShell hands over as something else', async () => {
    await importUsers('windows', ['a"b', 'c d\\', 'c\\', "it's"]);
    const line = ['.users', '.show', '.--profile', '.windows', '.'] as const;
    assert.deepEqual(await completed('powershell', ...line), ['words', 'c\\', "it's"]);
  });

  it('takes the profile that the line names', async () => {
    await importUsers('b', ['of-b']);
    for (const words of [['--profile', 'b'], ['--profile=b']]) {
      assert.deepEqual(await completed('fish', 'users', 'show', ...words, 'of'), ['words', 'of-b']);
    }
  });
});
