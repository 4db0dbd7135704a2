import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { completionScripts, shells } from '../../src/cli/complete/completion.ts';
import { fc } from '../support/fast-check.ts';
import { workspace } from './workspace.ts';

const { cli, cliJson, path, save } = workspace();

async function completed(argv: readonly string[], changes = {}): Promise<string[]> {
  const { stdout, stderr, status } = await cli(['__complete', ...argv], changes);
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.replace(/\n$/, '').split('\n');
}

describe('completion', () => {
  it('prints the script of each shell, as it is and in a JSON document, and refuses others', async () => {
    for (const shell of shells) {
      const { stdout } = await cli(['completion', shell]);
      assert.ok(stdout.includes(`authcli __complete ${shell} `));
      assert.equal((await cliJson(['completion', shell])).json.script, stdout);
    }
    const { status, stderr } = await cli(['completion', 'bsh']);
    assert.equal(status, 2);
    assert.match(stderr, /not one of bash, zsh, fish, powershell\.\nfix: {3}Did you mean "bash"\?/);
  });

  it('quotes for PowerShell what it would not take as one word', () => {
    const script = completionScripts.powershell;
    const [, plain = '', quotes = ''] =
      /-match '(\^.*?\$)'\).*-replace "(\S+)",/.exec(script) ?? [];
    // .NET's \w is a letter, mark, decimal digit or connector of any script.
    const isPlain = new RegExp(plain.replaceAll('\\w', '\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}'), 'u');
    for (const word of ['--url', 'aes-256-cbc', 'env:NAME', '한국', '-', 'C:\\x', 'user@host'])
      assert.match(word, isPlain);
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
});

describe('what is completed', () => {
  const hostile = ['tab\there', 'new\nline', 'esc\u001b[31m', 'c1\u009b31m', 'bidi\u202e'];
  before(async () => {
    for (const [profile, codes] of Object.entries({
      default: [...hostile, '사용자'],
      b: ['of-b'],
      signs: ['a b', 'a:b', "a'b", 'a$b!', 'plain-1'],
      windows: ['a"b', 'c d\\', 'c\\', "it's"],
    })) {
      await cli(['config', 'profile', 'create', profile]);
      const rows = codes.map((code) => JSON.stringify({ ptn_cd: code, key: 'k'.repeat(32) }));
      await cli(['users', 'import', '-', '--profile', profile], { stdin: rows.join('\n') });
    }
  });

  const report =
    '--report\twrite a report: json, junit, html, markdown, har; {name} in its path names the target';
  const timeout = '--timeout\ttotal time limit per request';
  for (const [words, ...offers] of [
    ['zsh config g', 'words', 'get\tone setting'],
    ['fish verify --stri', 'words', '--strict\ttreat failed should checks as failures'],
    ['fish verify --no-js', 'words'],
    ['zsh verify --har ', 'files'],
    ['fish users import ', 'files'],
    ['fish emulate app -- ', 'files'],
    ['zsh verify --url h', 'words'],
    ['zsh verify --strict=x', 'words'],
    ['zsh verify --url x --check=a --ur', 'words'],
    ['zsh verify --report json=a --rep', 'words', report],
    ['powershell .verify .--ca .', 'files'],
    ['powershell .emulate .app .-- .', 'files'],
    ['powershell .simulate-signup .--name . .--ti', 'words', timeout],
    ['powershell .users .show .--profile .windows .', 'words', 'c\\', "it's"],
    ['fish users show ', 'words', '사용자'],
    ['fish users show --profile b of', 'words', 'of-b'],
    ['fish users show --profile=b of', 'words', 'of-b'],
  ] as const) {
    it(`comes with what it is, or is left to the shell: ${words}`, async () => {
      assert.deepEqual(await completed(words.split(' ')), offers);
    });
  }

  it('has nothing that bash would have to quote', async () => {
    assert.deepEqual(await completed(['bash', 'key', 'pair', '--out', '=', '']), ['files']);
    const signs = ['users', 'show', '--profile', 'signs', ''];
    assert.deepEqual(await completed(['bash', ...signs]), ['words', 'plain-1']);
  });

  it('is nothing where the local state is damaged, and no failure', async () => {
    save('damaged.json', '{ damaged');
    const damaged = { configFile: path('damaged.json') };
    assert.deepEqual(await completed(['zsh', 'users', 'show', ''], damaged), ['words']);
  });
});
