import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { completesToOneWord } from '../../support/completed-values.ts';
import { type CompletionHome, completionHome } from '../../support/completion.ts';
import { draws } from '../../support/draws.ts';
import { keys, runAnyOnTerminal } from '../../support/terminal.ts';

let home: CompletionHome;
before(async () => {
  home = await completionHome('bash');
});
after(() => home.remove());

/** The prompt; nothing else on the screen looks like it. */
const ready = 'ready>';

/** What bash gets for a line; it offers files itself, where it gets nothing. */
function offered(line: string): string[] {
  const asked = `source "$1"; COMP_LINE=$2; COMP_POINT=\${#2}; _authcli authcli "\${2##* }"; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const argv = ['--norc', '-c', asked, 'bash', home.script, line];
  const stdout = execFileSync('bash', argv, { cwd: home.cwd, env: home.env, encoding: 'utf8' });
  return stdout.split('\n').filter((word) => word !== '');
}

const cases: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ['authcli dem', ['demo']],
  ['authcli key w', ['wrap']],
  ['authcli config profile u', ['use']],
  ['authcli --json key w', ['wrap']],
  ['authcli load ', ['export']],
  ['authcli help ex', ['explore', 'explain', 'exit-codes']],
  ['authcli verify --upd', ['--update-expect']],
  ['authcli verify --strict --str', []],
  ['authcli verify --check key-exchange/w', ['key-exchange/wraps-key']],
  ['authcli verify --format g', ['github']],
  ['authcli emulate app --fault oaep-sha1', ['oaep-sha1']],
  ['authcli explain base64u', ['base64url']],
  ['authcli config set expire', ['expire-time-zone']],
  ['authcli decrypt --cipher aria-256-c', ['aria-256-cbc', 'aria-256-ctr', 'aria-256-cfb']],
  ['authcli config profile use st', ['staging']],
  ['authcli users list --profile st', ['staging']],
  ['authcli users show al', ['alice-1']],
  ['authcli signin --ptn-cd al', ['alice-1']],
  ['authcli key unwrap x --private-key ke', []],
  ['authcli completion z', ['zsh']],
  ['authcli emulate app -- ke', []],
  ['authcli nonsense ', []],
];

describe('completion in bash', () => {
  for (const [line, expected] of cases) {
    it(`of: ${line}`, () => assert.deepEqual(offered(line), expected));
  }

  it('evaluates nothing of the line', () => {
    const line = `authcli decrypt $(touch ${home.cwd}/touched) --ke`;
    offered(line);
    const { status } = spawnSync('ls', [`${home.cwd}/touched`]);
    assert.notEqual(status, 0);
  });

  it('comes when Tab is pressed', async () => {
    const { tab, enter, ctrlC } = keys;
    const steps = [
      [ready, `. ./_authcli${enter}`],
      [ready, `authcli verify --check registration/unic${tab}`],
      ['registration/unicode-user-info ', ctrlC],
      [ready, `authcli key unwrap x --private-key keys/pri${tab}`],
      ['private\\ key.pem', ctrlC],
      [ready, `authcli emulate app -- cat pay${tab}`],
      ['payload.txt ', ctrlC],
      [ready, `exit${enter}`],
    ] as const;
    const bash = execFileSync('bash', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim();
    const env = { ...home.env, PS1: ready };
    await runAnyOnTerminal([bash, '--norc', '-i'], steps, { ...home, env });
  });

  it('completes any value to one word, whatever quote is open', () =>
    completesToOneWord('bash', draws(8)));
});
