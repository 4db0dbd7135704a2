import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { type CompletionHome, completionHome } from '../../support/completion.ts';
import { keys, runAnyOnTerminal } from '../../support/terminal.ts';

let home: CompletionHome;
before(async () => {
  home = await completionHome('bash');
});
after(() => home.remove());

/** The prompt; nothing else on the screen looks like it. */
const ready = 'ready>';

/** What bash gets for a line: with `replaced`, the end of the line that it puts the completion in the place of. */
function offered(line: string, replaced: string): string[] {
  const asked = `source "$1"; COMP_LINE=$2 COMP_POINT=\${#2}; _authcli authcli "$3"; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const argv = ['--norc', '-c', asked, 'bash', home.script, line, replaced];
  const stdout = execFileSync('bash', argv, { cwd: home.cwd, env: home.env, encoding: 'utf8' });
  return stdout.split('\n').filter((word) => word !== '');
}

const cases: readonly (readonly [line: string, replaced: string, expected: readonly string[]])[] = [
  ['authcli dem', 'dem', ['demo']],
  ['authcli key w', 'w', ['wrap']],
  ['authcli config profile u', 'u', ['use']],
  ['authcli --json key w', 'w', ['wrap']],
  ['authcli help ex', 'ex', ['explain', 'exit-codes']],
  ['authcli verify --upd', '--upd', ['--update-expect']],
  ['authcli verify --strict --str', '--str', []],
  ['authcli verify --check key-exchange/w', 'key-exchange/w', ['key-exchange/wraps-key']],
  ['authcli verify-service --check service/names', 'service/names', ['service/names-user']],
  ['authcli verify --format=g', 'g', ['github']],
  ['authcli verify --report j', 'j', ['json=', 'junit=']],
  ['authcli load --report ', '', ['json=', 'html=']],
  ['authcli verify --report junit=pay', 'pay', ['payload.txt']],
  ['authcli emulate app --fault oaep-sha1', 'oaep-sha1', ['oaep-sha1']],
  ['authcli explain base64u', 'base64u', ['base64url']],
  ['authcli config set expire', 'expire', ['expireTimeZone']],
  [
    'authcli decrypt --cipher aria-256-c',
    'aria-256-c',
    ['aria-256-cbc', 'aria-256-ctr', 'aria-256-cfb'],
  ],
  ["authcli decrypt --cipher 'aes-256-gcm?iv=p", 'aes-256-gcm?iv=p', ['aes-256-gcm?iv=prefix']],
  ['authcli decrypt --cipher aes-256-gcm\\?iv=p', 'p', ['prefix']],
  ['authcli decrypt --cipher aes-256-gcm\\?iv=zero\\&ta', 'zero\\&ta', ['zero\\&tag=']],
  ['authcli config profile use st', 'st', ['staging']],
  ['authcli users list --profile st', 'st', ['staging']],
  ['authcli users show al', 'al', ['alice-1']],
  ['authcli signin --ptn-cd=al', 'al', ['alice-1']],
  ['authcli signin --secret-key env:MY_', 'MY_', ['MY_SECRET']],
  ['authcli signin --secret-key f', 'f', ['file:']],
  ['authcli key unwrap x --private-key ke', 'ke', ['keys']],
  ['authcli decrypt @pay', '@pay', ['@payload.txt']],
  ['authcli decrypt @pay', 'pay', ['payload.txt']],
  ['authcli completion z', 'z', ['zsh']],
  ['authcli emulate app -- ke', 'ke', ['keys']],
  ['authcli nonsense ', '', []],
];

describe('completion in bash', () => {
  for (const [line, replaced, expected] of cases) {
    it(`of: ${line}`, () => assert.deepEqual(offered(line, replaced), expected));
  }

  it('evaluates nothing of the line', () => {
    const line = `authcli decrypt $(touch ${home.cwd}/touched) --ke`;
    offered(line, '--ke');
    const { status } = spawnSync('ls', [`${home.cwd}/touched`]);
    assert.notEqual(status, 0);
  });

  it('comes at a press of Tab', async () => {
    const { tab, enter, ctrlC } = keys;
    const steps = [
      [ready, `. ./_authcli${enter}`],
      [ready, `authcli verify --check registration/unic${tab}`],
      ['registration/unicode-user-info ', ctrlC],
      [ready, `authcli key unwrap x --private-key keys/pri${tab}`],
      ['private\\ key.pem', ctrlC],
      [ready, `exit${enter}`],
    ] as const;
    const bash = execFileSync('bash', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim();
    const env = { ...home.env, PS1: ready };
    await runAnyOnTerminal([bash, '--norc', '-i'], steps, { ...home, env });
  });
});
